/** The style of a report: two themes by the reader's setting, light on paper, one column on a phone. */
export const reportStyle = `
:root{color-scheme:light dark;--ground:#eef2f5;--panel:#fff;--raised:#f4f7f9;--ink:#12212d;--muted:#4d5d6b;--line:#d5dee5;--link:#0a5f8a;--water:#1279a8;--floor:#0b7a5c;--rss:#5f6e7a;--limit:#b3261e;--good:#0b6b4f;--good-ground:#dcf3ea;--bad:#a50e3d;--bad-ground:#fde2e9;--unsure:#8a5800;--unsure-ground:#fdf0d3}
@media (prefers-color-scheme:dark){:root{--ground:#0b1218;--panel:#121c24;--raised:#182530;--ink:#e3ebf1;--muted:#9badbb;--line:#2b3b48;--link:#7ccdf0;--water:#45b3e0;--floor:#4fd1a5;--rss:#93a3ae;--limit:#ff7b72;--good:#6fe0b5;--good-ground:#0e3528;--bad:#ff8fab;--bad-ground:#451424;--unsure:#f2c063;--unsure-ground:#3a2c0c}}
@media print{:root{color-scheme:light;--ground:#fff;--panel:#fff;--raised:#fff;--ink:#000;--muted:#333;--line:#999;--link:#000;--water:#1279a8;--floor:#0b7a5c;--rss:#5f6e7a;--limit:#b3261e;--good:#0b6b4f;--good-ground:#fff;--bad:#a50e3d;--bad-ground:#fff;--unsure:#8a5800;--unsure-ground:#fff}}
*{box-sizing:border-box}
body{margin:0;background:var(--ground);color:var(--ink);font:15px/1.5 ui-sans-serif,system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
main,header,footer{max-width:1080px;margin:0 auto;padding:0 16px}
header{padding-top:24px}footer{padding-bottom:40px;color:var(--muted);font-size:13px}
h1{font-size:22px;line-height:1.3;margin:0 0 8px;overflow-wrap:anywhere}
h2{font-size:17px;margin:0 0 10px}h3{font-size:15px;margin:0 0 6px;overflow-wrap:anywhere}
section{background:var(--panel);border:1px solid var(--line);border-radius:10px;padding:16px;margin:14px 0}
p{margin:0 0 8px;overflow-wrap:anywhere}.muted{color:var(--muted)}
.verdict{display:flex;flex-wrap:wrap;gap:10px;align-items:baseline;border-radius:10px;padding:12px 16px;margin:12px 0;border:1px solid currentColor}
.verdict b{font-size:18px}.verdict span{color:var(--ink);flex:1 1 400px;overflow-wrap:anywhere}
.good{color:var(--good);background:var(--good-ground)}.bad{color:var(--bad);background:var(--bad-ground)}.unsure{color:var(--unsure);background:var(--unsure-ground)}
.tag{display:inline-block;border:1px solid currentColor;border-radius:99px;padding:0 9px;font-size:12px;font-weight:600;white-space:nowrap}
dl{display:grid;grid-template-columns:repeat(auto-fit,minmax(150px,1fr));gap:8px;margin:0 0 4px}
dl div{background:var(--raised);border:1px solid var(--line);border-radius:8px;padding:8px 12px}
dt{color:var(--muted);font-size:12px}dd{margin:0;font-variant-numeric:tabular-nums;overflow-wrap:anywhere}
ol,ul{margin:0;padding-left:22px}li{margin:0 0 6px;overflow-wrap:anywhere}
.plot{margin:12px 0 0}.plot svg{width:100%;min-width:560px;height:auto;display:block}.plot .scroll{margin:0}.plot text{fill:var(--muted);font:12px ui-sans-serif,system-ui,sans-serif}
.plot .line{fill:none;stroke-width:2;stroke-linejoin:round;stroke:currentColor}.plot .grid{stroke:var(--line)}.plot .mark{stroke:var(--muted);stroke-dasharray:3 3}
.plot line.limit{stroke:var(--limit);stroke-dasharray:7 4}.plot text.limit{fill:var(--limit)}
.line.used,.key.used::before{color:var(--water)}.line.floor,.key.floor::before{color:var(--floor)}.line.rss,.key.rss::before{color:var(--rss)}.line.rss{stroke-dasharray:6 3}.line.external,.key.external::before{color:var(--unsure)}.line.external{stroke-dasharray:2 3}
figcaption{font-size:13px;color:var(--muted)}.key{margin-left:10px;white-space:nowrap}.key::before{content:"";display:inline-block;width:16px;height:3px;background:currentColor;vertical-align:middle;margin-right:5px}
.scroll{overflow-x:auto;margin:0 0 12px}.scroll:focus-visible,summary:focus-visible,a:focus-visible{outline:2px solid var(--link);outline-offset:2px}
table{border-collapse:collapse;width:100%;font-size:14px}caption{text-align:left;font-weight:600;padding:0 0 6px}
th,td{text-align:left;padding:5px 10px 5px 0;border-top:1px solid var(--line);vertical-align:top;overflow-wrap:break-word}th{color:var(--muted);font-weight:600;font-size:12px;border-top:0;white-space:nowrap}td{font-variant-numeric:tabular-nums;white-space:nowrap}td.wide{min-width:150px;white-space:normal}
article{border-top:1px solid var(--line);padding:12px 0 4px}article:first-of-type{border-top:0;padding-top:0}
.trace{list-style:none;padding:0;margin:8px 0 12px;font:13px/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
.trace li{border-left:2px solid var(--line);margin:0;padding:0 0 6px 14px;position:relative}.trace li:last-child{border-color:transparent}
.trace li::before{content:"";position:absolute;left:-5px;top:6px;width:8px;height:8px;border-radius:50%;background:var(--muted)}.trace li.yes::before{background:var(--bad)}.trace li.no::before{background:var(--good)}
.trace .via{color:var(--muted);display:block}.trace .name{font-weight:600}.trace .why{color:var(--muted);margin-left:8px}.trace .yes .why{color:var(--bad)}
summary{cursor:pointer;font-weight:600;padding:2px 0}a{color:var(--link)}
@media print{.plot svg{min-width:0}section,article,figure,table{break-inside:avoid}section{border:0;padding:8px 0}.scroll{overflow:visible}main,header,footer{max-width:none;padding:0}details>summary{display:none}body{font-size:12px}}
`;
