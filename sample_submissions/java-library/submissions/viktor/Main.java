import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Scanner;

public class Main
{
    static final int LOAN_DAYS = 21;
    static final int CHILD_LOAN_DAYS = 14;
    static final int MAX_LOANS = 3;
    static final int FINE_PER_DAY = 10;
    static final int MAX_FINE = 500;

    static Map<String, Integer> copies = new LinkedHashMap<>();
    static Map<String, String> titles = new LinkedHashMap<>();
    static Ledger ledger = new Ledger();

    static void require( boolean condition, String otherwise )
    {
        if( !condition )
            throw new IllegalArgumentException( otherwise );
    }

    static void stock()
    {
        for( String id : copies.keySet() )
        {
            int all = copies.get( id );
            int away = ledger.outstanding( id );
            System.out.println( id + "\t" + titles.get( id ) + "\t" + all + " - " + away + " = " + ( all - away ) );
        }
    }

    static void run( String[] words )
    {
        String command = words[0];
        int n = words.length - 1;
        if( command.equals( "stock" ) )
            stock();
        else if( command.equals( "overdue" ) && n == 1 )
            System.out.print( ledger.overdue( Words.number( words[1], 0 ) ) );
        else if( command.equals( "member" ) && n >= 1 )
            ledger.issueCard( words[1], Card.parse( words ) );
        else if( command.equals( "book" ) && n == 3 )
        {
            titles.putIfAbsent( words[1], words[2] );
            copies.merge( words[1], Words.number( words[3], 1 ), Integer::sum );
        }
        else if( command.equals( "scrap" ) && n == 1 )      // own command: throw away one copy
        {
            require( copies.containsKey( words[1] ), "no book: " + words[1] );
            require( ledger.outstanding( words[1] ) < copies.get( words[1] ), "none here to scrap" );
            copies.computeIfPresent( words[1], ( id, c ) -> c - 1 );
        }
        else if( command.equals( "lend" ) && n == 3 )
        {
            require( copies.containsKey( words[2] ), "no book: " + words[2] );
            require( ledger.outstanding( words[2] ) < copies.get( words[2] ), "all out: " + words[2] );
            System.out.println( ledger.write( words[1], words[2], Words.number( words[3], 0 ) ) );
        }
        else if( command.equals( "return" ) && n == 3 )
        {
            int fine = ledger.cross( words[1], words[2], Words.number( words[3], 0 ) );
            require( fine >= 0, "no such loan" );
            System.out.println( "EUR " + Words.money( fine ) );
        }
        else
            require( false, "bad command: " + String.join( " ", words ) );
    }

    public static void main( String[] args )
    {
        Scanner in = new Scanner( System.in );
        while( in.hasNextLine() )
        {
            String line = in.nextLine().trim();
            if( line.isEmpty() || line.startsWith( "#" ) )
                continue;
            try
            {
                String[] words = Words.split( line );
                if( words[0].equals( "quit" ) )
                    break;
                run( words );
            }
            catch( IllegalArgumentException e )
            {
                System.out.println( "error: " + e.getMessage() );
            }
        }
    }
}
