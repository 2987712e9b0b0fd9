import { randomBytes, randomUUID } from 'node:crypto'
import { Agent } from 'node:http'
import { tokenCall } from '../cases/case-01-token.ts'
import { batch, receiverOf, spansCall, spansInBatch } from '../cases/case-04-telemetry.ts'
import { eventCall } from '../cases/case-07-input.ts'
import { ask, type HttpCall } from '../load.ts'
import { atRate, type Tally } from './at-rate.ts'
import type { Box, BoxTenant } from './open-box.ts'

/** Per second, over all tenants. */
export const rates = { tokens: 100, calls: 300, spans: 2000, executions: 20 }

/** Of 50 traces in a batch, the sockets follow one. */
const tracesInBatch = 50

/** In turn, and each tenant gets each: three and ten are coprime. */
const pages = ['executions.list', 'approvals.list', 'agents.list']

export type Loaded = Record<'tokens' | 'calls' | 'spans' | 'executions', Tally>

export type Load = {
  factor: number
  seconds: number
  /** A trace of each tenant, by its id. */
  followed: ReadonlyMap<string, string>
  /** Gets the ids of the executions that are started, by the tenant's id. */
  started: Map<string, string[]>
}

/** Everything at once at `factor` times the rates. */
export async function loadBox({ api, tenants }: Box, { factor, seconds, followed, started }: Load): Promise<Loaded> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1024 })
  const tenantOf = (index: number): BoxTenant => {
    const tenant = tenants[index % tenants.length]
    if (tenant === undefined) throw new Error('The box has lost its tenants.')
    return tenant
  }
  const refusal = ({ status, text }: { status: number; text: string }) =>
    status === 200 || status === 202 ? undefined : `${status} ${text.slice(0, 200)}`
  const authorized = (tenant: BoxTenant) => ({ authorization: `Bearer ${tenant.pipeline}` })
  const get = (tenant: BoxTenant, procedure: string, input?: object): HttpCall => ({
    url: `${api.baseUrl}/v1/${procedure}${input === undefined ? '' : `?input=${encodeURIComponent(JSON.stringify({ json: input }))}`}`,
    headers: authorized(tenant),
  })
  /** The calls of ten: four to `tenants.current`, four of one execution, a list, and an input event. */
  const callOf = (index: number): HttpCall => {
    const ten = Math.floor(index / 10)
    // Each kind comes to each tenant.
    const tenant = tenantOf(ten)
    const id = started.get(tenant.id)?.at(-1)
    const kind = index % 10
    if (kind < 4 && id !== undefined) return get(tenant, 'executions.get', { id })
    if (kind === 8) return get(tenant, pages[ten % pages.length] ?? '', {})
    if (kind === 9) return eventCall(`${api.baseUrl}/v1/input-events`, authorized(tenant))(randomUUID())
    return get(tenant, 'tenants.current')
  }
  const start = async (index: number) => {
    const tenant = tenantOf(index)
    const answer = await ask(
      {
        url: `${api.baseUrl}/v1/executions.execute`,
        method: 'POST',
        headers: { ...authorized(tenant), 'content-type': 'application/json' },
        body: JSON.stringify({ json: tenant.start }),
      },
      agent,
    )
    if (answer.status === 200) {
      const body: { result: { data: { json: { executionId: string } } } } = JSON.parse(answer.text)
      started.set(tenant.id, [...(started.get(tenant.id) ?? []), body.result.data.json.executionId])
    }
    return refusal(answer)
  }
  const spans = (index: number) => {
    const tenant = tenantOf(index)
    const traces = Array.from({ length: tracesInBatch - 1 }, () => randomBytes(16).toString('hex'))
    const body = batch([followed.get(tenant.id) ?? '', ...traces])
    return ask(spansCall(receiverOf(api, tenant.telemetry), body), agent).then(refusal)
  }
  const token = (index: number) => {
    const tenant = tenantOf(index)
    const url = `${api.baseUrl}/realms/${tenant.slug}/protocol/openid-connect/token`
    return ask(tokenCall(url, tenant.secret), agent).then(refusal)
  }
  try {
    const [tokens, calls, batches, executions] = await Promise.all([
      atRate(rates.tokens * factor, seconds, token),
      atRate(rates.calls * factor, seconds, (index) => ask(callOf(index), agent).then(refusal)),
      atRate((rates.spans * factor) / spansInBatch, seconds, spans),
      atRate(rates.executions * factor, seconds, start),
    ])
    return { tokens, calls, spans: batches, executions }
  } finally {
    agent.destroy()
  }
}
