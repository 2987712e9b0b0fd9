import { evaluate, closeEngine } from './engine.ts'
import { EngineFailure } from './worker.ts'
const tool = { type: 'Countersign::Tool', id: 'payments/look' }
const request = {
  principal: { type: 'Countersign::Agent', id: 'a' }, action: { type: 'Countersign::Action', id: 'ToolCall' }, resource: tool,
  context: { call: { now: { __extn: { fn: 'datetime', arg: '2026-05-01T12:00:00.000Z' } }, counters: { toolCalls: 3 } }, env: { name: 'production' } },
  entities: [ { uid: { type: 'Countersign::Agent', id: 'a' }, attrs: { version: '1', release: 'r', lifecycle: 'released', allowedTools: [{ __entity: tool }] }, parents: [] },
    { uid: tool, attrs: { server: 'payments', name: 'look', sideEffect: 'read', idempotent: true }, parents: [{ type: 'Countersign::ToolServer', id: 'payments' }] } ] }
const forms: Record<string,(n:number)=>string> = {
  or: n=>'false||'.repeat(n)+'true', and: n=>'true&&'.repeat(n)+'true', plus: n=>'1+'.repeat(n)+'1 > 0', minus: n=>'1-'.repeat(n)+'1 < 5', mul: n=>'1*'.repeat(n)+'1 > 0',
  nowchain: n=>'context.call.now'+'.offset(duration("1s"))'.repeat(n)+' > datetime("2020-01-01")',
  rec: n=>'{a:'.repeat(Math.min(n,39))+'1'+'}'.repeat(Math.min(n,39))+' == {a:2}||true',
  orInParens20: n=>('('+'false||'.repeat(Math.floor(n/38))).repeat(38)+'true'+')'.repeat(38),
  ifchain: n=>('if '+'false||'.repeat(Math.floor(n/38))+'false then false else ').repeat(38)+'true',
  plusInParens: n=>('('+'1+'.repeat(Math.floor(n/38))).repeat(38)+'1'+')'.repeat(38)+'>0',
  orWithin: n=>('(').repeat(38)+'false||'.repeat(n)+'true'+')'.repeat(38),
  rightnest: n=>('true&&(').repeat(38)+'1+'.repeat(n)+'1 > 0'+')'.repeat(38),
}
for (const [k,f] of Object.entries(forms)) { const out=[]
  for (const n of [100,200,300,400,600,800,1000,1500,2000,3000]) { const source=`@id("p") permit (principal, action, resource) when { ${f(n)} };`
    try { const [a]=await evaluate({request,policies:[{digest:source,source,fulfilled:[]}]}); out.push(n+':'+(a?.outcome==='decided'?a.decision+(a.erring.length?'!':''):a?.outcome)) } catch(e){ out.push(n+':TRAP'); if(!(e instanceof EngineFailure)) throw e; break } }
  console.log(k,out.join(' ')) }
await closeEngine()
