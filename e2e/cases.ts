import { expect } from '@playwright/test'
import { signIn } from '#server/testing/auth/sign-in.ts'
import { demoTenant, demoUser } from './fixtures.ts'

/** A case for one test, created over the API. */
export type RefundCase = { approvalId: string; executionId: string; traceId: string; agentId: string }

/** More items than the tests create. */
const all = { limit: 200 }

const tokens = new Map<string, { answer: ReturnType<typeof signIn>; since: number }>()

/** Returns a person's access token, obtained through the sign-in page. Cached for half of its lifetime. */
export async function personToken(baseURL: string, username: string, slug = 'northwind'): Promise<string> {
  const key = `${slug}/${username}`
  const known = tokens.get(key)
  if (known !== undefined) {
    const { accessToken, expiresIn } = await known.answer
    if (Date.now() - known.since < expiresIn * 500) return accessToken
  }
  const since = Date.now()
  const answer = signIn(baseURL, slug, username, demoUser(username, slug).password)
  tokens.set(key, { answer, since })
  return (await answer).accessToken
}

/** Returns a service account's access token. */
export async function clientToken(baseURL: string, clientId: string, slug = 'northwind'): Promise<string> {
  const client = demoTenant(slug).clients.find((candidate) => candidate.clientId === clientId)
  const response = await fetch(`${baseURL}/realms/${slug}/protocol/openid-connect/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: clientId,
      client_secret: client?.clientSecret ?? '',
    }),
  })
  const { access_token: token } = (await response.json()) as { access_token: string }
  return token
}

/** Calls a procedure and returns its data. Throws an error with the response's text if the call fails. */
export async function call<Data>(
  baseURL: string,
  token: string,
  kind: 'query' | 'mutation',
  procedure: string,
  input: unknown,
): Promise<Data> {
  const query = kind === 'query' ? `?input=${encodeURIComponent(JSON.stringify(input))}` : ''
  const response = await fetch(`${baseURL}/v1/${procedure}${query}`, {
    method: kind === 'query' ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(kind === 'query' ? {} : { body: JSON.stringify(input) }),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${procedure}: ${response.status} ${text}`)
  return JSON.parse(text).result.data.json
}

/** Starts an execution of the demo's refund agent as maria. Returns when its refund waits for approval. */
export async function waitingRefund(baseURL: string, { orderId = 'A-1001' } = {}): Promise<RefundCase> {
  const token = await personToken(baseURL, 'maria')
  const agents = await call<{ items: { id: string; name: string }[] }>(baseURL, token, 'query', 'agents.list', all)
  const agent = agents.items.find(({ name }) => name === 'refund-assistant')
  if (agent === undefined) throw new Error('The demo lacks its refund agent.')
  const started = await call<{ executionId: string; traceId: string }>(
    baseURL,
    token,
    'mutation',
    'executions.execute',
    {
      agentId: agent.id,
      environment: 'production',
      input: { orderId },
    },
  )
  let approvalId: string | undefined
  await expect
    .poll(async () => {
      const input = { id: started.executionId }
      const execution = await call<{ steps: { approvalId: string | null }[] }>(
        baseURL,
        token,
        'query',
        'executions.get',
        input,
      )
      approvalId = execution.steps.find((step) => step.approvalId !== null)?.approvalId ?? undefined
      return approvalId
    })
    .toBeDefined()
  if (approvalId === undefined) throw new Error('unreachable: polled until it exists')
  return { ...started, approvalId, agentId: agent.id }
}

/** Starts an execution as maria whose amount requires a manager's confirmation first. Returns when it waits for that. */
export async function waitingInput(baseURL: string): Promise<{ executionId: string; agentId: string }> {
  const token = await personToken(baseURL, 'maria')
  const agents = await call<{ items: { id: string; name: string }[] }>(baseURL, token, 'query', 'agents.list', all)
  const agentId = agents.items.find(({ name }) => name === 'refund-assistant')?.id ?? ''
  const start = { agentId, environment: 'production', input: { orderId: 'A-1004' } }
  const { executionId } = await call<{ executionId: string }>(baseURL, token, 'mutation', 'executions.execute', start)
  await expect
    .poll(
      async () =>
        (await call<{ status: string }>(baseURL, token, 'query', 'executions.get', { id: executionId })).status,
    )
    .toBe('waiting_input')
  return { executionId, agentId }
}

/** Resolves when all rows of an organisation are bound to its log. An archive made before doesn't claim to be complete. */
export async function rowsBound(baseURL: string, slug = 'northwind'): Promise<void> {
  const token = await personToken(baseURL, 'vera', slug)
  const input = { action: 'state.adoption_ended' }
  await expect
    .poll(async () => (await call<{ items: unknown[] }>(baseURL, token, 'query', 'audit.list', input)).items.length, {
      timeout: 90_000,
    })
    .toBe(1)
}

/** Decides as another person, over the API. */
export async function decideAs(
  baseURL: string,
  username: string,
  approvalId: string,
  decision: 'approve' | 'reject' | 'escalate',
  reason: string,
): Promise<void> {
  const token = await personToken(baseURL, username)
  const input = { approvalId, decision, reason, decisionAcknowledged: true }
  await call(baseURL, token, 'mutation', 'approvals.decide', input)
}

export const externalId = (slug = 'northwind'): string => demoTenant(slug).externalId

export const home = (slug?: string): string => `/t/${externalId(slug)}`
