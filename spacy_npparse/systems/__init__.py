"""The transition systems of the literature, one file for each paper, and their registry.

Projective parsing:

    arc_standard              Nivre 2004; dynamic oracle: Goldberg, Sartorio and Satta 2014
    arc_eager                 Nivre 2003; dynamic oracle: Goldberg and Nivre 2012
    nonmonotonic_arc_eager    Honnibal, Goldberg and Johnson 2013
    arc_hybrid                Kuhlmann, Gómez-Rodríguez and Satta 2011; dynamic oracle: Goldberg and
                              Nivre 2013
    projective_loss           our own: exact costs for any gold tree, with the single-root
                              precondition

Non-projective parsing:

    covington                 Covington 2001; dynamic oracle: Gómez-Rodríguez and
                              Fernández-González 2015
    nonmonotonic_covington    Fernández-González and Gómez-Rodríguez 2017
    attardi                   Attardi 2006; Cohen, Gómez-Rodríguez and Satta 2011
    arc_standard_swap         Nivre 2009; lazy oracle: Nivre, Kuhlmann and Hall 2009
    two_planar                Gómez-Rodríguez and Nivre 2010; dynamic oracle: Fernández-González and
                              Gómez-Rodríguez 2018
    arc_hybrid_swap           de Lhoneux, Stymne and Nivre 2017
    arc_hybrid_swap_dynamic_oracle   our own: dynamic for SWAP too
    stay_eager_swap           Kohita, Noji and Matsumoto 2017
    mh4                       Gómez-Rodríguez, Shi and Lee 2018
"""

from spacy_npparse.systems.registry import get_transition_system, transition_systems

__all__ = ["get_transition_system", "transition_systems"]
