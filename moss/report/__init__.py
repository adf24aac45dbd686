"""Reports as JSON, CSV and HTML.

Files      site writes a folder of pages, folder_reader reads one back (checks: whether to believe it); json_report,
           csv_tables and code_annotations write single files; atomic_files writes each in one step
Pages      render makes them in worker processes, from page_templates; served has those that a server stores and fills
Texts      code_view shows a file with its passages marked: character_layers combines syntax_classes (highlighting) with
           likeness (which words and characters are equal); visible_text makes any text safe to look at
Sentences  passage_words, pair_words and run_words; score_reasons, substitutions and line_diff explain a pair

pages/ has the overview, pairs and submissions. A passage has no page of its own: pages/pair.py shows it in both texts,
with sentences of passage_words, and moss/web/pages/reports.py lists who else has it.
"""
