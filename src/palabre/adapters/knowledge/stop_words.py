"""Words that say nothing of what a text is about; without accents, in lower case."""

FRENCH = frozenset(
    """
    a afin ai aie aient ailleurs ainsi alors apres as assez au aucun aucune aujourd aupres
    auquel aura aurait aussi autre autres aux auxquelles auxquels avaient avais avait avant avec
    avez avoir avons ayant beaucoup bien ca car ce ceci cela celle celles celui cependant ces
    cet cette ceux chaque chez ci comme comment d dans de dedans dehors deja depuis des
    desquelles desquels dessous dessus devant doit doivent donc dont du duquel durant elle elles
    en encore enfin entre es est et etaient etais etait etant ete etes etre eu eux faire fait
    faites faut fois font hors ici il ils j je jusque l la laquelle le lequel les lesquelles
    lesquels leur leurs lorsque lui m ma mais malgre me meme memes mes mien moi moins mon n ne
    ni nos notre nous on ont or ou par parce parmi pas pendant peu peut peuvent plus plutot pour
    pourquoi pourtant puis puisque qu quand que quel quelle quelles quelque quelques quels qui
    quoi quoique s sa sans se selon sera serait seront ses si sien sinon soi soient sois soit
    sommes son sont sous suis sur t ta tandis te tel telle telles tels tes toi ton toujours tous
    tout toute toutefois toutes tres trop tu un une va vers voici voila vos votre vous y
    """.split()  # noqa: SIM905 - a list of strings would fill two hundred lines
)

ENGLISH = frozenset(
    """
    about after again all also am an and any are as at be because been before being below
    between both but by can could did do does doing down during each few for from further had
    has have having he her here hers him his how if in into is it its just me more most my no
    nor not of off once only or other our ours out over own same she should so some such than
    that the their theirs them then there these they this those through to too under until up
    very was we were what when where which while who whom why will with would you your yours
    """.split()  # noqa: SIM905 - a list of strings would fill two hundred lines
)
