import java.util.Arrays;

// a book with places for every copy
public class Product {
    public final String id;
    public final String title;
    private Place[] places = new Place[0];

    public static class Place {
        public Member member;
        public int endDay;
    }

    public Product(String id, String title) {
        this.id = id;
        this.title = title;
    }

    public void grow(int n) {
        places = Arrays.copyOf(places, places.length + n);
    }

    public int count() {
        return places.length;
    }

    public int empty() {
        int n = 0;
        for (Place place : places) {
            if (place == null) {
                n++;
            }
        }
        return n;
    }

    public boolean take(Member member, int endDay) {
        for (int i = 0; i < places.length; i++) {
            if (places[i] == null) {
                places[i] = new Place();
                places[i].member = member;
                places[i].endDay = endDay;
                member.books++;
                return true;
            }
        }
        return false;
    }

    // -1 if the member does not have it
    public int leave(Member member) {
        for (int i = 0; i < places.length; i++) {
            if (places[i] != null && places[i].member == member) {
                int endDay = places[i].endDay;
                places[i] = null;
                member.books--;
                return endDay;
            }
        }
        return -1;
    }

    public int firstDay(Member member) {
        int min = Integer.MAX_VALUE;
        for (Place place : places) {
            if (place != null && (member == null || place.member == member) && place.endDay < min) {
                min = place.endDay;
            }
        }
        return min;
    }

    public String membersOn(int day) {
        String text = "";
        for (Place place : places) {
            if (place != null && place.endDay == day) {
                text += (text.isEmpty() ? "" : ", ") + place.member.name;
            }
        }
        return text;
    }
}
