"""A treebank that uses most features of CoNLL-U."""

AWKWARD = """\
# newdoc id = d1
# newpar
# sent_id = 1
# text = ¿Vámonos al mar?  ¡No!
1\t¿\t¿\tPUNCT\t_\tPunctType=Qest|PunctSide=Ini\t2\tpunct\t2:punct\tSpaceAfter=No|Note=a b
2-3\tVámonos\t_\t_\t_\t_\t_\t_\t_\t_
2\tvamos\tir\tVERB\tV\tVerbForm=Fin|Mood=Imp\t0\troot\t0:root|5:conj:and\t_
3\tnos\tnosotros\tPRON\t_\tCase=Acc,Dat\t2\tobj\t2:obj\t_
3.1\tnada\tnada\tNOUN\t_\t_\t_\t_\t2:obj\tEmpty=Yes
4-5\tal\t_\t_\t_\t_\t_\t_\t_\tLang=es
4\ta\ta\tADP\t_\t_\t6\tcase\t6:case\t_
5\tel\tel\tDET\t_\t_\t6\tdet:x\t6:det\t_
6\tmar\tmar\tNOUN\t_\t_\t2\tobl\t2:obl\tSpaceAfter=No
7\t?\t?\tPUNCT\t_\t_\t2\tpunct\t_\tSpacesAfter=\\s\\s

# a comment = with = signs
#no space, sent_id = x
0.1\tello\t_\t_\t_\t_\t_\t_\t1:dep\t_
1\t10 000\t_\tNUM\t_\t_\t0\tparataxis\t_\tSpacesInToken=10\\s\\s000
2\t_\t_\tX\t_\t_\t1\t_\t_\t_
2.1\te\t_\t_\t_\t_\t_\t_\t_\t_
2.2\te\t_\t_\t_\t_\t_\t_\t_\t_

# nothing annotated but some heads, and a tag spaCy does not know
1\ta\t_\t_\t_\t_\t_\t_\t_\t_
2\tb\tb\tWEIRD\tTag\t_\t3\tdep\t_\t_
3\tc\t_\t_\t_\t_\t_\tnsubj\t_\t_

# newdoc
# two roots whose subtrees interleave
1\ta\ta\tX\t_\t_\t3\tdep\t_\t_
2\tb\tb\tX\t_\t_\t4\tdep\t_\t_
3\tc\tc\tX\t_\t_\t0\troot\t_\t_
4\td\td\tX\t_\t_\t0\tROOT\t_\t_
5\te\te\tX\t_\t_\t0\t_\t_\t_

"""
