/** The two kinds of cards and what they allow. */
enum Card
{
    ADULT( Main.LOAN_DAYS ),
    CHILD( Main.CHILD_LOAN_DAYS );

    final int days;

    Card( int days )
    {
        this.days = days;
    }

    static Card parse( String[] words )
    {
        if( words.length < 3 )
            return ADULT;
        return valueOf( words[2].toUpperCase() );
    }
}
