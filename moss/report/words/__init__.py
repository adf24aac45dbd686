"""A report in sentences.

Runs      run_words: what was compared, with which parameters, and how to repeat it; references: kinds of sources;
          listed: which pairs are listed
Pairs     pair_words has their figures, score_reasons the parts of their score, fairness what may speak against copying
Passages  passage_words: where they are, and who else has them
Times     hand_in_times of submissions, history_words about commits
"""
