import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { payload, type TestApi } from '#server/testing/api.ts'
import { approve } from '#server/testing/refund-agent.ts'
import { releaseAgent } from '#server/testing/released-agent.ts'
import { until } from '#server/testing/until.ts'

type Execution = {
  status: string
  error: { code: string } | null
  steps: { id: string; status: string; approvalId: string | null }[]
}
/** The stage of an execution: started, in its lookup, waiting for input, with input, waiting for a person, approved, paying. */
export type Stage = 'started' | 'reading' | 'waiting' | 'sent' | 'asked' | 'approved' | 'paying'

/** Requests are retried while the server is down or responds with another status. */
async function tries<T>(work: () => Promise<T>): Promise<T> {
  let last: unknown
  const attempt = () =>
    work().then(
      (value) => ({ value }),
      (error: unknown) => {
        last = error
        return undefined
      },
    )
  const done = await until(attempt, 'the server answered', 90_000).catch((cause: unknown) => {
    throw last ?? cause
  })
  return done.value
}

/** An agent that looks up an order, waits for input, waits for a person, and pays, with functions for its executions. */
export async function payments(api: TestApi) {
  const agentId = await releaseAgent(api, 'faults', {
    steps: [
      { id: 'order', tool: { server: 'payments', name: 'lookup_order', arguments: { id: 'A-1003' } } },
      { id: 'ok', wait: { input: 'go' } },
      { id: 'refund', tool: { server: 'payments', name: 'issue_refund', arguments: { id: `\${steps.ok.output}` } } },
    ],
    tools: { payments: ['lookup_order', 'issue_refund'] },
    more: {
      inputs: [{ name: 'go' }],
      governance: { approvals: { group: 'refund-approvers', quorum: 1, expiresAfter: 'P7D' } },
    },
  })

  const get = (id: string) =>
    tries(async () => payload<Execution>(await api.query(await api.person('maria'), 'executions.get', { id })))
  const reaches = (id: string, status: string) =>
    until(async () => ((await get(id)).status === status ? await get(id) : undefined), `${id} ${status}`, 120_000)
  const lines = async (event: string, key: string) =>
    (await readFile(join(api.gate, 'calls.log'), 'utf8').catch(() => ''))
      .split('\n')
      .filter((line) => line.startsWith(`${event} `) && line.endsWith(key))
  const happened = (event: 'called' | 'paid', key: string, times = 1) =>
    until(async () => ((await lines(event, key)).length >= times ? true : undefined), `${key} was ${event}`, 90_000)
  const hold = (tool: string) => writeFile(join(api.gate, `hold-${tool}`), '')
  const release = (tool: string) => rm(join(api.gate, `hold-${tool}`), { force: true })
  const start = async (agent = agentId) =>
    payload<{ executionId: string }>(
      await api.mutate(await api.person('maria'), 'executions.execute', {
        agentId: agent,
        environment: 'production',
        input: {},
      }),
    ).executionId
  /** Sends the same event until it is accepted, with one receipt. */
  const send = (executionId: string, baseUrl = api.baseUrl) =>
    tries(async () => {
      const response = await fetch(new URL('/v1/input-events', baseUrl), {
        method: 'POST',
        headers: {
          authorization: `Bearer ${await api.client('ci-pipeline')}`,
          'content-type': 'application/json',
          'idempotency-key': executionId,
        },
        body: JSON.stringify({ correlation: { executionId, input: 'go' }, data: 'A-1003' }),
      })
      if (response.status !== 202) throw new Error(`${response.status}: ${await response.text()}`)
    })
  /** Approves as a person, unless the request is already approved. */
  const approved = (id: string) =>
    until(
      () =>
        tries(async () => {
          const { status, steps } = await get(id)
          const approvalId = steps.find((step) => step.id === 'refund')?.approvalId
          if (status === 'succeeded') return true
          if (approvalId == null) return undefined
          const asked = await api.query(await api.person('jonas'), 'approvals.get', { approvalId })
          if (payload<{ status: string }>(asked).status === 'pending') await approve(api, approvalId)
          return true
        }),
      `${id} was approved`,
      120_000,
    )

  /** Brings a new execution to a stage, causes `fault` there, and returns its id. */
  async function broken(stage: Stage, fault: (id: string) => Promise<void>): Promise<string> {
    const held = stage === 'reading' ? 'lookup_order' : stage === 'paying' ? 'issue_refund' : undefined
    if (held !== undefined) await hold(held)
    const id = await start()
    if (stage === 'reading') await happened('called', `${id}:order`)
    if (stage === 'waiting' || stage === 'sent') await reaches(id, 'waiting_input')
    if (stage === 'sent' || stage === 'asked' || stage === 'approved' || stage === 'paying') await send(id)
    if (stage === 'asked') await reaches(id, 'waiting_approval')
    if (stage === 'approved' || stage === 'paying') await approved(id)
    if (stage === 'paying') await happened('called', `${id}:refund`)
    await fault(id)
    if (held !== undefined) await release(held)
    return id
  }

  return { agentId, start, get, reaches, lines, happened, release, send, approved, broken }
}
