/* html_texts.h -- what is the same on every page. */
#ifndef BP_REPORT_HTML_TEXTS_H
#define BP_REPORT_HTML_TEXTS_H

extern const char bp_html_head[];  /* up to where the title and the style begin */
extern const char bp_html_style[]; /* between the tags of <style> */
extern const char bp_html_script[], bp_html_how_to_read[];

#endif
