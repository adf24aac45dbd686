"""Reports as JSON, CSV and HTML.

Files   site writes a folder of pages, folder_reader reads one back (checks: whether to believe it); json_report,
        csv_tables, packed_ranking and code_annotations write single files; atomic_files writes each in one step
Pages   render makes them in worker processes, from page_templates and page_frames; served and packed_page are for those
        that a server stores and fills; masked_report is the report without names
code/   texts as pages show them
words/  sentences about pairs, passages, histories and runs

pages/ has the overview, pairs and submissions. A passage has no page of its own: pages/pair.py shows it in both texts,
with sentences of words/passage_words.py, and moss/web/pages/reports.py lists who else has it.
"""
