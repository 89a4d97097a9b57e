import { squarify } from './squarify.ts';

/** The script of the HTML report: treemap with zoom, table with search and order. It reads the data beside it and asks nobody. */
export const pageScript = `{
const squarify=${squarify.toString()};
const data=JSON.parse(document.getElementById('data').textContent);
const size=b=>{if(b<1024)return Math.round(b)+' B';let u='B';for(const n of ['KiB','MiB','GiB','TiB']){if(Math.round(b)<1024)break;b/=1024;u=n}return b.toFixed(1)+' '+u};
const canvas=document.getElementById('treemap'),hover=document.getElementById('hover'),crumbs=document.getElementById('crumbs');
let path=[data.tree],boxes=[],focus=-1;
const dark=matchMedia('(prefers-color-scheme: dark)');
const hue=t=>{let h=7;for(const c of t.replace(/^[\\d,]+ × /,''))h=(h*31+c.codePointAt(0))%360;return h};
const top=()=>path[path.length-1];
function place(node,x,y,w,h,depth){
  const kids=(node.c||[]).filter(k=>k.b>0);
  if(!kids.length)return;
  const sizes=kids.map(k=>k.b),rest=node.b-sizes.reduce((a,b)=>a+b,0);
  if(rest>node.b*0.01)sizes.push(rest);
  const order=sizes.map((b,i)=>i).sort((a,b)=>sizes[b]-sizes[a]);
  const rects=squarify(order.map(i=>sizes[i]),x,y,w,h);
  order.forEach((i,k)=>{
    const [rx,ry,rw,rh]=rects[k],kid=kids[i];
    if(rw<1.5||rh<1.5)return;
    boxes.push({node:kid,label:kid?kid.n:'everything else',bytes:sizes[i],x:rx,y:ry,w:rw,h:rh,depth});
    if(kid&&kid.c&&rw>46&&rh>40)place(kid,rx+2,ry+17,rw-4,rh-19,depth+1);
  });
}
function draw(){
  const ratio=devicePixelRatio||1,w=canvas.clientWidth,h=canvas.clientHeight;
  canvas.width=w*ratio;canvas.height=h*ratio;
  const c=canvas.getContext('2d');c.scale(ratio,ratio);c.clearRect(0,0,w,h);
  boxes=[];place(top(),0,0,w,h,0);
  const night=dark.matches;
  boxes.forEach((b,i)=>{
    const light=night?22+b.depth*5:88-b.depth*6;
    c.fillStyle=b.node?'hsl('+hue(b.label)+' '+(night?32:52)+'% '+light+'%)':night?'#2a2e32':'#e9ebed';
    c.fillRect(b.x,b.y,b.w-1,b.h-1);
    if(i===focus){c.strokeStyle=night?'#fff':'#000';c.lineWidth=2;c.strokeRect(b.x+1,b.y+1,b.w-3,b.h-3)}
    if(b.w>44&&b.h>15){
      c.save();c.beginPath();c.rect(b.x,b.y,b.w-4,Math.min(b.h,b.node&&b.node.c&&b.h>40?17:34));c.clip();
      c.fillStyle=night?'#eceff1':'#1d1f21';c.font='12px system-ui,sans-serif';c.textBaseline='top';
      c.fillText(b.label,b.x+4,b.y+3);
      if(!(b.node&&b.node.c)&&b.h>32){c.globalAlpha=.75;c.fillText(size(b.bytes),b.x+4,b.y+18)}
      c.restore();
    }
  });
  crumbs.replaceChildren(...path.map((n,i)=>{const e=document.createElement('button');e.textContent=n.n+' '+size(n.b);if(i===path.length-1)e.setAttribute('aria-current','true');e.onclick=()=>{path=path.slice(0,i+1);focus=-1;draw()};return e}));
}
const at=(x,y)=>boxes.findLastIndex(b=>x>=b.x&&x<b.x+b.w&&y>=b.y&&y<b.y+b.h);
const tell=i=>{const b=boxes[i];hover.textContent=b?b.label+'  '+size(b.bytes)+'  '+(100*b.bytes/data.tree.b).toFixed(1)+' % of the heap'+(b.node&&b.node.i?'  @'+b.node.i:''):''};
const enter=i=>{const b=boxes[i];if(!b||!b.node)return;const trail=[];(function find(n){if(n===b.node)return true;for(const k of n.c||[])if(find(k)){trail.unshift(k);return true}return false})(top());const stop=trail.filter(n=>n.c);if(stop.length){path=path.concat(stop);focus=-1;draw()}};
canvas.addEventListener('mousemove',e=>{const r=canvas.getBoundingClientRect(),i=at(e.clientX-r.left,e.clientY-r.top);if(i!==focus){focus=i;tell(i);draw()}});
canvas.addEventListener('click',e=>{const r=canvas.getBoundingClientRect();focus=at(e.clientX-r.left,e.clientY-r.top);tell(focus);enter(focus)});
canvas.addEventListener('keydown',e=>{if(e.key==='ArrowRight'||e.key==='ArrowLeft'){focus=(focus+(e.key==='ArrowRight'?1:-1)+boxes.length)%boxes.length;tell(focus);draw();e.preventDefault()}else if(e.key==='Enter')enter(focus);else if(e.key==='Escape'&&path.length>1){path.pop();focus=-1;draw()}});
addEventListener('resize',draw);dark.addEventListener('change',draw);draw();
const body=document.querySelector('#classes tbody'),search=document.getElementById('search'),heads=[...document.querySelectorAll('#classes th')];
let by=3,down=true,most=40;
const more=document.getElementById('more');more.onclick=()=>{most=most===40?2000:40;rows()};
function rows(){
  const words=search.value.toLowerCase().split(/\\s+/).filter(Boolean);
  const list=data.classes.filter(r=>words.every(w=>r[0].toLowerCase().includes(w)));
  list.sort((a,b)=>(typeof a[by]==='string'?a[by].localeCompare(b[by]):a[by]-b[by])*(down?-1:1));
  body.replaceChildren(...list.slice(0,most).map(r=>{const tr=document.createElement('tr');[r[0],r[1].toLocaleString('en-US'),size(r[2]),size(r[3])].forEach(t=>{const td=document.createElement('td');td.textContent=t;tr.append(td)});return tr}));
  document.getElementById('shown').textContent=Math.min(most,list.length)+' of '+list.length.toLocaleString('en-US')+' classes';
  more.hidden=list.length<=40;more.textContent=most===40?'Show all':'Show fewer';
}
heads.forEach((th,i)=>th.querySelector('button').onclick=()=>{down=by===i?!down:i>0;by=i;heads.forEach(h=>h.removeAttribute('aria-sort'));th.setAttribute('aria-sort',down?'descending':'ascending');rows()});
search.addEventListener('input',rows);rows();
}`;
