/** The style of the HTML report: two themes, one column on a phone. */
export const pageStyle = `
:root{color-scheme:light dark;--bg:#fbfbfa;--card:#fff;--ink:#1d1f21;--soft:#5d646b;--line:#e2e4e6;--hot:#b3261e;--warm:#8a5300;--ok:#1b6b3a;--accent:#1f5fa8;--mark:#fff1c9;--shade:#f2f3f4}
@media(prefers-color-scheme:dark){:root{--bg:#131517;--card:#1b1e21;--ink:#e6e8ea;--soft:#9aa3ab;--line:#2d3236;--hot:#ff8a80;--warm:#f0b862;--ok:#7fd19b;--accent:#82b6f0;--mark:#4a3c12;--shade:#22262a}}
*{box-sizing:border-box}
body{margin:0;background:var(--bg);color:var(--ink);font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
main{max-width:1120px;margin:0 auto;padding:20px 16px 48px}
h1{font-size:20px;margin:0 0 2px;overflow-wrap:anywhere}
h2{font-size:16px;margin:32px 0 10px}
p{margin:0 0 8px}
.soft{color:var(--soft)}
.facts{display:grid;grid-template-columns:repeat(auto-fit,minmax(128px,1fr));gap:8px;margin:14px 0 0;padding:0}
.facts div{background:var(--card);border:1px solid var(--line);border-radius:8px;padding:8px 12px}
.facts dt{color:var(--soft);font-size:12px}
.facts dd{margin:0;font-variant-numeric:tabular-nums;font-size:16px}
details{background:var(--card);border:1px solid var(--line);border-radius:8px;margin:0 0 10px}
summary{cursor:pointer;padding:10px 14px;list-style:none;display:flex;gap:10px;align-items:baseline}
summary::-webkit-details-marker{display:none}
summary:focus-visible,button:focus-visible,input:focus-visible,canvas:focus-visible{outline:2px solid var(--accent);outline-offset:1px}
.tag{font-size:12px;font-weight:600;border-radius:99px;padding:1px 9px;border:1px solid currentColor;flex:none}
.high,.critical{color:var(--hot)}.medium{color:var(--warm)}.low,.info{color:var(--soft)}
.inside{padding:0 14px 14px}
ol.trace{list-style:none;margin:6px 0 12px;padding:0;font:13px/1.45 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
ol.trace li{border-left:2px solid var(--line);padding:0 0 6px 14px;position:relative;overflow-wrap:anywhere}
ol.trace li::before{content:"";position:absolute;left:-5px;top:6px;width:8px;height:8px;border-radius:50%;background:var(--soft)}
ol.trace li.yes::before{background:var(--hot)}ol.trace li.no::before{background:var(--ok)}
ol.trace li:last-child{border-color:transparent}
.via{display:block;color:var(--soft);margin:2px 0 6px}
.via.suspect{display:table;color:var(--ink);background:var(--mark);text-decoration:underline wavy var(--warm);text-underline-offset:4px;padding:0 6px 4px;border-radius:4px}
.name{font-weight:600}
.note{color:var(--soft);margin-left:8px}
.note.yes{color:var(--hot)}
code{font:13px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;background:var(--shade);border-radius:4px;padding:1px 5px;overflow-wrap:anywhere}
.cure{border-left:3px solid var(--accent);padding:2px 0 2px 12px;margin:8px 0}
a{color:var(--accent)}
.map{background:var(--card);border:1px solid var(--line);border-radius:8px;padding:10px}
.map canvas{width:100%;height:min(62vh,520px);display:block;border-radius:4px;cursor:pointer}
.crumbs{display:flex;flex-wrap:wrap;gap:4px;margin:0 0 8px}
.below{margin-top:8px}.crumbs button,#more{font:13px system-ui,sans-serif;color:var(--accent);background:none;border:1px solid var(--line);border-radius:6px;padding:3px 8px;cursor:pointer}
.crumbs button[aria-current]{color:var(--ink);font-weight:600}
#hover{min-height:1.5em;margin:8px 0 0;font-size:13px;overflow-wrap:anywhere}
.scroll{overflow-x:auto;background:var(--card);border:1px solid var(--line);border-radius:8px}
table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}
th,td{padding:6px 12px;text-align:right;border-bottom:1px solid var(--line);white-space:nowrap}
th:first-child,td:first-child{text-align:left;white-space:normal;overflow-wrap:anywhere;min-width:150px}
th button{all:unset;cursor:pointer;font-weight:600;color:var(--soft)}
th button:focus-visible{outline:2px solid var(--accent)}
th[aria-sort] button{color:var(--ink)}
tr:last-child td{border-bottom:0}
input[type=search]{width:100%;max-width:360px;font:inherit;color:inherit;background:var(--card);border:1px solid var(--line);border-radius:8px;padding:7px 12px;margin:0 0 10px}
ul.plain{margin:0;padding-left:20px}
footer{margin-top:36px;font-size:13px;color:var(--soft)}
@media(max-width:560px){main{padding:14px 10px 32px}th,td{padding:6px 8px;font-size:13px}summary{flex-wrap:wrap}.map canvas{height:68vh}.note{display:block;margin-left:0}}
`;
