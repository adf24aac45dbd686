import java.util.HashMap;
import java.util.Map;
import java.util.PriorityQueue;

/**
 * The ledger holds all lines that are not crossed out yet. They sit in a heap, the one
 * that is due first on top, so that overdue() only touches the lines it prints.
 */
class Ledger
{
    class Line implements Comparable<Line>
    {
        final String member;
        final String book;
        final int due;

        Line( String member, String book, int due )
        {
            this.member = member;
            this.book = book;
            this.due = due;
        }

        @Override
        public int compareTo( Line that )
        {
            int byDay = Integer.compare( due, that.due );
            return byDay != 0 ? byDay : member.compareTo( that.member );
        }
    }

    private final PriorityQueue<Line> heap = new PriorityQueue<>();
    private final Map<String, Card> cards = new HashMap<>();

    void issueCard( String member, Card card )
    {
        if( cards.putIfAbsent( member, card ) != null )
            throw new IllegalArgumentException( "card exists: " + member );
    }

    /** Returns the due date; refuses those who owe us something. */
    int write( String member, String book, int today )
    {
        Card card = cards.get( member );
        if( card == null )
            throw new IllegalArgumentException( "no card: " + member );
        int lines = 0;
        boolean late = false;
        for( Line line : heap )
        {
            if( line.member.equals( member ) )
            {
                lines += 1;
                late |= line.due < today;
            }
        }
        if( late || lines >= Main.MAX_LOANS )
            throw new IllegalArgumentException( late ? "card blocked: " + member : "card full: " + member );
        Line line = new Line( member, book, today + card.days );
        heap.add( line );
        return line.due;
    }

    /** Crosses a line out and returns the fine, or -1 when there is no such line. */
    int cross( String member, String book, int today )
    {
        Line found = null;
        for( Line line : heap )
            if( line.member.equals( member ) && line.book.equals( book ) )
                found = line;
        if( found == null )
            return -1;
        heap.remove( found );
        int fine = 0;
        for( int day = found.due; day < today && fine < Main.MAX_FINE; day++ )
            fine += Main.FINE_PER_DAY;
        return fine;
    }

    String overdue( int today )
    {
        StringBuilder report = new StringBuilder();
        PriorityQueue<Line> copy = new PriorityQueue<>( heap );
        while( !copy.isEmpty() && copy.peek().due < today )
        {
            Line line = copy.poll();
            report.append( String.format( "%4d  %-12s %s%n", line.due, line.member, line.book ) );
        }
        return report.toString();
    }

    int outstanding( String book )
    {
        return (int) heap.stream().filter( line -> line.book.equals( book ) ).count();
    }
}
