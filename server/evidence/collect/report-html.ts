import { hash } from 'node:crypto'
import { scopeWords } from '#lib/evidence/scope-words.ts'
import { demoMark, isDemoTenant } from '#lib/verify/demo.ts'
import type { Coverage } from '#server/evidence/archive/coverage.ts'
import type { ClaimedExport } from '#server/evidence/jobs/export-claim.ts'
import type { LeftOut } from './left-out.ts'
import type { ReportedApproval, ReportRows, Vote } from './report-rows.ts'

// data/report.html: the archive for people. No scripts, nothing from elsewhere; it prints on A4.

const style = `@page{size:A4;margin:18mm}
body{font:15px/1.5 system-ui,sans-serif;color:#1b1b1f;background:#fff;max-width:48rem;margin:2rem auto;padding:0 1rem}
h1{font-size:1.6rem;margin:0 0 .25rem}h2{font-size:1.15rem;margin:2rem 0 .5rem;break-after:avoid}
h3{font-size:1rem;margin:0}p{margin:.25rem 0}.quiet{color:#55555e}
dl{display:grid;grid-template-columns:12rem 1fr;gap:.25rem 1rem;margin:.5rem 0}dt{color:#55555e}dd{margin:0}
dd,td,p,h3,li{overflow-wrap:anywhere}td:first-child,th{white-space:nowrap}article{border-top:1px solid #c9c9d1;padding:.6rem 0;break-inside:avoid}
ul{margin:.25rem 0 0;padding-left:1.25rem}blockquote{margin:.15rem 0 .35rem;padding-left:.75rem;border-left:3px solid #c9c9d1}
table{border-collapse:collapse;width:100%}th,td{text-align:left;padding:.25rem .75rem .25rem 0;border-bottom:1px solid #e4e4ea}
th{font-weight:600}.number{text-align:right;padding-right:1.5rem}thead{display:table-header-group}tr{break-inside:avoid}
@media(max-width:32rem){dl{grid-template-columns:1fr;gap:0}dd{margin-bottom:.4rem}}
@media print{body{font-size:10.5pt;max-width:none;margin:0;padding:0}}`

const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)

const moment = (at: Date | string): string =>
  `${(typeof at === 'string' ? at : at.toISOString()).slice(0, 16).replace('T', ' ')} UTC`
const words = (code: string): string => code.replaceAll(/[_-]/g, ' ')
const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** Omissions that are listed one by one; data/omissions.ndjson has all. */
const listed = 200

export function* reportHtml(
  { tenant, row }: ClaimedExport,
  { period, days, before }: Coverage,
  rows: ReportRows,
  leftOut: readonly LeftOut[],
): Generator<string> {
  const policy = `default-src 'none'; style-src 'sha256-${hash('sha256', style, 'base64')}'; base-uri 'none'; form-action 'none'`
  yield `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width">
<title>Evidence of ${escaped(tenant.name)}</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>Evidence of ${escaped(tenant.name)}</h1>
${isDemoTenant(tenant.externalId) ? `<p><strong>${escaped(demoMark)}</strong> Nothing here is evidence of real events.</p>\n` : ''}<p class="quiet">This page is part of the archive ${escaped(row.id)}. Its seal covers it; README.txt describes how to check it.</p>
<h2>What was requested</h2>
<dl>${pairs([
    ['Organisation', `${tenant.name} (${tenant.externalId})`],
    ['Requested period', `${moment(row.startAt)} to ${moment(row.endAt)}`],
    ['Covered period', `${moment(period.start)} to ${moment(period.end)}`],
    ['About', scopeWords(row.scope)],
    ...(row.purpose === null ? [] : [['For', row.purpose] as const]),
    ['Requested by', rows.nameOf(row.requestedBy)],
    ['Requested', moment(row.createdAt)],
    ['Sensitive values', row.includeRawPayloads ? 'Unmasked' : 'Masked'],
    ['Proofs of the audit log', row.includeProofs ? 'Included' : 'Not included'],
    ['Earlier archive', before?.exportId ?? 'None'],
  ])}</dl>
`
  yield* decisions(rows)
  yield* omissions(leftOut)
  yield `<h2>Days of the audit log</h2>
<table><thead><tr><th>Day (UTC)</th><th class="number">Records</th><th>State</th></tr></thead><tbody>
`
  for (const { date, size, open } of days)
    yield `<tr><td>${date}</td><td class="number">${size}</td><td>${open ? 'Open: more records may follow' : 'Closed'}</td></tr>\n`
  yield '</tbody></table>\n</main>\n</body>\n</html>\n'
}

const pairs = (of: readonly (readonly [string, string])[]): string =>
  of.map(([label, text]) => `<dt>${label}</dt><dd>${escaped(text)}</dd>`).join('\n')

function* decisions(rows: ReportRows): Generator<string> {
  const { shown, more } = rows.approvals()
  yield '<h2>Who decided what, and why</h2>\n'
  if (shown.length === 0) yield '<p>No approvals were requested or decided in the period.</p>\n'
  for (const approval of shown) yield articleOf(approval)
  if (more > 0) yield `<p>${more} more approvals are in data/approvals.ndjson.</p>\n`
}

const articleOf = ({
  id,
  kind,
  status,
  agent,
  what,
  requestedBy,
  requestedAt,
  votes,
}: ReportedApproval): string => `<article>
<h3>${escaped(capital(words(kind)))}${agent === '' ? '' : ` of ${escaped(agent)}`}: ${escaped(words(status))}</h3>${what === '' ? '' : `\n<p>${escaped(what)}</p>`}
<p class="quiet">Requested ${moment(requestedAt)}${requestedBy === '' ? '' : ` by ${escaped(requestedBy)}`} · ${escaped(id)}</p>
${votes.length === 0 ? '<p>No reviewer decided in the period.</p>' : `<ul>${votes.map(itemOf).join('')}</ul>`}
</article>
`

const verbs = new Map([
  ['approve', 'approved'],
  ['reject', 'rejected'],
  ['escalate', 'escalated'],
])
const itemOf = ({ at, decision, by, onBehalfOf, reason, passkey }: Vote): string =>
  `<li><strong>${escaped(by)}</strong> ${escaped(verbs.get(decision) ?? words(decision))}${onBehalfOf === undefined ? '' : ` for ${escaped(onBehalfOf)}`}, ${moment(at)}${passkey ? ', confirmed with a passkey' : ''}.${reason === '' ? '' : `<blockquote>${escaped(reason)}</blockquote>`}</li>`

function* omissions(leftOut: readonly LeftOut[]): Generator<string> {
  yield '<h2>What is left out</h2>\n'
  if (leftOut.length === 0) {
    yield '<p>Nothing: the archive contains everything in its period.</p>\n'
    return
  }
  yield '<table><thead><tr><th>What</th><th>Id</th><th>Reason</th></tr></thead><tbody>\n'
  for (const { resource, id, reason } of leftOut.slice(0, listed))
    yield `<tr><td>${escaped(words(resource))}</td><td>${escaped(id ?? 'all')}</td><td>${escaped(words(reason))}</td></tr>\n`
  yield '</tbody></table>\n'
  if (leftOut.length > listed) yield `<p>${leftOut.length - listed} more are in data/omissions.ndjson.</p>\n`
}
