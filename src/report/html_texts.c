/* html_texts.c -- the page's head, style, script and explanation. */
#include "report/html_texts.h"

/* Only the script below may run, by its SHA-256 (`openssl dgst -sha256 -binary | base64` of what stands
 * between its tags; tests/cli/report.sh tells the new one), and nothing is fetched. */
#define SCRIPT_HASH "2txe8k6iR72VFxWfh1e2NpoMNLdCXQIuBn6a6Edqsvs="

const char bp_html_head[] =
    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; "
    "style-src 'unsafe-inline'; script-src 'sha256-" SCRIPT_HASH
    "'; base-uri 'none'; form-action 'none'\">\n"
    "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
    "<meta name=\"color-scheme\" content=\"light dark\">\n<link rel=\"icon\" href=\"data:,\">\n";

const char bp_html_style[] =
    "body{margin:0;background:var(--paper);color:var(--ink);"
    "font:15px/1.5 system-ui,'Segoe UI',Helvetica,Arial,sans-serif}\n"
    "main{max-width:1440px;margin:0 auto;padding:1.2rem 1.4rem 4rem}\n"
    "h1{font-size:1.6rem;margin:.4rem 0}h2{font-size:1.2rem;margin:2.4rem 0 .4rem;"
    "border-bottom:1px solid var(--rule);padding-bottom:.2rem}h3{font-size:1rem;margin:1.4rem 0 "
    ".4rem}\n"
    "p{max-width:70ch;margin:.4rem 0}.how{color:var(--soft)}a{color:var(--c0)}"
    "nav a{margin-right:1.1em;white-space:nowrap}\n"
    "pre{overflow-x:auto;background:color-mix(in srgb,var(--rule) 40%,transparent);padding:.6rem "
    ".8rem;border-radius:4px;font-size:13px}\n"
    ".panels{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,560px),1fr));"
    "gap:1.2rem 1.4rem}.panel{overflow-x:auto;max-width:100%}"
    ".panel>svg{display:block;max-width:max(100%,400px);height:auto}\n"
    ".scroll{overflow:auto;max-width:100%;max-height:90vh}table{border-collapse:collapse;font-size:"
    "13px;"
    "font-variant-numeric:tabular-nums}\n"
    "th,td{padding:.2rem .6rem;text-align:right;white-space:nowrap;border-bottom:1px solid "
    "var(--rule)}th.l,td.l{text-align:left}\n"
    "td.l:last-child{white-space:normal;min-width:14em}tr.best td{font-weight:600}thead "
    "th{position:sticky;top:0;z-index:1;background:var(--paper)}th:nth-child(2),td:nth-child(2){"
    "position:sticky;left:0;background:var(--paper)}thead th:nth-child(2){z-index:2}"
    "tr.wrong td{color:var(--bad)}tr.skipped td{color:var(--soft)}\n"
    "th button{font:inherit;font-weight:600;color:inherit;background:none;border:0;padding:0;"
    "cursor:pointer}th[aria-sort] button{text-decoration:underline}\n"
    "dl{display:grid;grid-template-columns:max-content 1fr;gap:.1rem 1rem;font-size:13px}"
    "dt{color:var(--soft)}dd{margin:0;overflow-wrap:anywhere}\n"
    ".found{font-size:1.15rem}.found,p.wide{max-width:none}"
    ".alarm{color:var(--bad);font-weight:600}\n"
    "@media "
    "print{main{max-width:none;padding:0}nav{display:none}.scroll{max-height:none}.panel,tr{break-"
    "inside:avoid}"
    "th button{cursor:auto}body{font-size:11px}}\n";

/* Figures sort as numbers, by data-v where the cell prints a unit; rows without one go last. */
const char bp_html_script[] =
    "<script>\n"
    "for (const button of document.querySelectorAll('th button')) button.onclick = () => {\n"
    "  const th = button.parentElement, body = th.closest('table').tBodies[0];\n"
    "  const n = th.cellIndex, down = th.getAttribute('aria-sort') !== 'descending';\n"
    "  const key = row => row.cells[n].dataset.v ?? row.cells[n].textContent.replace(' %', '');\n"
    "  const rows = [...body.rows].sort((a, b) => {\n"
    "    const x = key(a), y = key(b);\n"
    "    if (!x || !y) return !x - !y;\n"
    "    const order = isNaN(x) || isNaN(y) ? x.localeCompare(y) : x - y;\n"
    "    return down ? -order : order;\n"
    "  });\n"
    "  for (const other of th.parentElement.cells) other.removeAttribute('aria-sort');\n"
    "  th.setAttribute('aria-sort', down ? 'descending' : 'ascending');\n"
    "  body.append(...rows);\n"
    "};\n"
    "</script>\n";

const char bp_html_how_to_read[] =
    "<h2 id=\"reading\">How to read this</h2>\n"
    "<p>Each row is one operator (problem) at one degree N on one mesh, applied by one kernel "
    "(variant). GFLOPS and GB/s come from the model's flops and bytes of the operator and the "
    "median time, so rows of one problem and degree compare by time alone.</p>\n"
    "<p>The <b>roofline</b> is what those flops would reach if the model's bytes moved as fast as "
    "a plain copy of as many bytes, timed in the same rounds and the same cache mode. "
    "<b>Reached</b> is the part of it that the kernel got. A kernel that reads much more than it "
    "writes may pass 100 %, for reading is a little faster than copying.</p>\n"
    "<p>Every result was compared with a reference before its time was believed: <b>error</b> is "
    "the largest normalised difference, <b>tolerance</b> what is allowed. A wrong row has no "
    "rate. <b>&plusmn;</b> is half of the 95 % confidence interval of the median.</p>\n";
