import type { TestApi } from '#server/testing/api.ts'
import { startChild } from '../child.ts'
import { call, type HttpCall, httpSide } from '../load.ts'
import type { comparer } from '../measure.ts'
import { type Figure, ratioFigure } from '../report.ts'

const clientId = 'ci-pipeline'

/** The secret of the demo's client in the first tenant. */
export const secretOf = (api: TestApi): string => {
  const client = api.credentials.tenants[0]?.clients.find((candidate) => candidate.clientId === clientId)
  if (client === undefined) throw new Error(`The demo does not have a client ${clientId}.`)
  return client.clientSecret
}

/** A client-credentials grant of the demo's client at any server. */
export const tokenCall = (url: string, secret: string): HttpCall => ({
  url,
  method: 'POST',
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
  body: String(new URLSearchParams({ grant_type: 'client_credentials', client_id: clientId, client_secret: secret })),
})

/** One client-credentials grant of the demo's first tenant. */
export const ourTokenCall = (api: TestApi): HttpCall =>
  tokenCall(`${api.baseUrl}/realms/northwind/protocol/openid-connect/token`, secretOf(api))

export async function token(api: TestApi, apiPid: number, compare: ReturnType<typeof comparer>): Promise<Figure[]> {
  const secret = secretOf(api)
  const peer = await startChild('bench/peers/oidc.ts', { CLIENT_SECRET: secret })
  try {
    const theirs = tokenCall(peer.address, secret)
    await checkAlgorithms([ourTokenCall(api), theirs])
    const result = await compare(
      httpSide('oidc-provider', [peer.pid], false, theirs),
      httpSide('countersign', [apiPid], true, ourTokenCall(api)),
    )
    const note = 'ES256 JWTs; peer keeps its client in memory'
    const limit = '2.9 k ES256 tokens of oidc-provider'
    return [ratioFigure({ case: 1, job: 'client-credentials token', unit: '/CPU s', least: 0.4, limit, note }, result)]
  } finally {
    await peer.stop()
  }
}

/** Throws unless all answer with a JWT that is signed with ES256. */
export async function checkAlgorithms(calls: readonly HttpCall[]): Promise<void> {
  const algorithms = await Promise.all(calls.map(async (one) => algorithmOf(await call(one))))
  if (algorithms.some((algorithm) => algorithm !== 'ES256')) throw new Error(`Not the same work: ${algorithms}`)
}

function algorithmOf(answer: string): unknown {
  const body: { access_token: string } = JSON.parse(answer)
  return JSON.parse(Buffer.from(body.access_token.split('.')[0] ?? '', 'base64url').toString()).alg
}
