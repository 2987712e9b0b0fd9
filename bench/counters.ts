import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'

import { ourTokenCall } from './cases/case-01-token.ts'
import { ourQueryCall } from './cases/case-02-query.ts'
import { boundAgent, ourDecision } from './cases/case-03-policy.ts'
import { executionRunner } from './cases/case-06-execution.ts'
import { ourEventCall } from './cases/case-07-input.ts'
import { ourDecide, pendingApprovals } from './cases/case-08-decide.ts'
import { ourAppend } from './cases/case-09-audit.ts'
import { ourEvaluateCall } from './evaluate-call.ts'
import { startInstalled } from './installed.ts'
import { openLab } from './lab.ts'
import { bytesOnTheWire, call, type HttpCall } from './load.ts'
import { median } from './measure.ts'
import { type Figure, figure } from './report.ts'
import { openWireMeter, type Traffic, type WireMeter } from './wire-meter.ts'

const repeats = 11
/** Longer than the log collects records before it signs them. */
const silenceMs = 800
const silenceLimitMs = 30_000

/** Statements and commits of each job, and bytes of the calls; the same on every machine. */
export async function counters(): Promise<Figure[]> {
  const serverUrl = process.env.TEST_DATABASE_URL ?? ''
  const meter = await openWireMeter({ port: Number(new URL(serverUrl).port) })
  process.env.TEST_DATABASE_URL = meter.through(serverUrl)
  try {
    return [...(await ofTheApi(meter)), ...(await ofTheParts(meter))]
  } finally {
    process.env.TEST_DATABASE_URL = serverUrl
    meter.close()
  }
}

async function ofTheApi(meter: WireMeter): Promise<Figure[]> {
  const api = await startInstalled({ NODE_ENV: 'production' })
  try {
    const ourEvent = await ourEventCall(api)
    const headers = { authorization: `Bearer ${await api.person('maria')}` }
    const calls: [number, string, HttpCall][] = [
      [1, 'client-credentials token', ourTokenCall(api)],
      [2, 'tenants.current', await ourQueryCall(api)],
      [3, 'policies.evaluate', await ourEvaluateCall(api)],
      [7, 'input event: duplicate', ourEvent('bench')],
      [8, 'approvals.getPending', { url: `${api.baseUrl}/v1/approvals.getPending`, headers }],
    ]
    await silence(meter)
    const figures: Figure[] = []
    for (const [number, job, what] of calls) {
      const { sent, received } = await bytesOnTheWire(what)
      const note = `${sent} bytes sent, ${received} received`
      figures.push(line(number, job, await perCall(meter, () => call(what)), note))
    }
    const accepted = await perCall(meter, () => call(ourEvent(randomUUID())))
    figures.push(line(7, 'input event: accepted', accepted))
    return figures
  } finally {
    await api.close()
  }
}

async function ofTheParts(meter: WireMeter): Promise<Figure[]> {
  const lab = await openLab()
  try {
    const runExecution = await executionRunner(lab)
    await silence(meter)
    const execution = await perCall(meter, runExecution)
    const request = await boundAgent(lab, 10)
    const approvals = await (await pendingApprovals(lab))(repeats + 1)
    const audit = await perCall(meter, () => ourAppend(lab, lab.tenant))
    const decision = await perCall(meter, () => ourDecision(lab, request))
    const decide = await perCall(meter, () => ourDecide(lab, approvals.pop() ?? ''))
    return [
      line(3, 'policy decision', decision),
      line(
        6,
        'execution of one step',
        execution,
        'with one read of the watcher; the queue’s own statements not counted',
      ),
      line(8, 'approvals.decide', decide),
      line(9, 'audit append', audit),
    ]
  } finally {
    await lab.close()
  }
}

/** The median over several calls, because background work affects few of them. */
async function perCall(meter: WireMeter, once: () => Promise<unknown>): Promise<Traffic> {
  await once()
  const seen: Traffic[] = []
  for (let index = 0; index < repeats; index++) {
    const before = meter.read()
    await once()
    const after = meter.read()
    seen.push({
      statements: after.statements - before.statements,
      commits: after.commits - before.commits,
      bytes: after.bytes - before.bytes,
    })
  }
  const of = (field: keyof Traffic) => median(seen.map((one) => one[field]))
  return { statements: of('statements'), commits: of('commits'), bytes: of('bytes') }
}

/** Resolves when nothing was sent for a while: the demo's first execution and the signing of the log have finished. */
async function silence(meter: WireMeter): Promise<void> {
  const giveUp = performance.now() + silenceLimitMs
  for (let last = -1; meter.read().bytes !== last; ) {
    if (performance.now() > giveUp) throw new Error('The server did not become idle.')
    last = meter.read().bytes
    await delay(silenceMs)
  }
}

const line = (number: number, job: string, { statements, commits, bytes }: Traffic, note = ''): Figure =>
  figure({
    case: number,
    job: `counter: ${job}`,
    ours: `${statements} statements, ${commits} commits, ${bytes} bytes to PostgreSQL`,
    note,
    data: { statements, commits, bytes },
  })
