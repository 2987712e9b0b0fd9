import { payload, type TestApi } from '#server/testing/api.ts'
import { startChild } from '../child.ts'
import { call, type HttpCall, httpSide } from '../load.ts'
import { type comparer, latency } from '../measure.ts'
import { type Figure, figure, number, ratioFigure } from '../report.ts'

type Compare = ReturnType<typeof comparer>

const procedure = 'tenants.current'
const p99LimitMs = 15

export const ourQueryCall = async (api: TestApi, baseUrl = api.baseUrl): Promise<HttpCall> => ({
  url: `${baseUrl}/v1/${procedure}`,
  headers: { authorization: `Bearer ${await api.client('ci-pipeline')}` },
})

export async function query(api: TestApi, apiPid: number, compare: Compare): Promise<Figure[]> {
  const ours = await ourQueryCall(api)
  const times = await latency(400, () => call(ours))
  return [
    await besideTrpc(api, apiPid, compare, ours),
    figure({
      case: 2,
      job: `${procedure}, one after the other, p99`,
      target: `≤ ${p99LimitMs} ms`,
      ...(times === undefined
        ? { ours: 'SKIP(noisy)' }
        : {
            ours: `${number(times.p99)} ms (p50: ${number(times.p50)} ms)`,
            met: times.p99 <= p99LimitMs ? 'yes' : 'no',
          }),
    }),
  ]
}

async function besideTrpc(api: TestApi, apiPid: number, compare: Compare, ours: HttpCall): Promise<Figure> {
  const tenant = payload(await api.query(await api.client('ci-pipeline'), procedure))
  const peer = await startChild('bench/peers/trpc.ts', { TENANT: JSON.stringify(tenant) })
  try {
    const result = await compare(
      httpSide('tRPC standalone', [peer.pid], false, { url: peer.address }),
      httpSide('countersign', [apiPid], true, ours),
    )
    const note = 'peer: no authentication, no database'
    const limit = 'tRPC standalone 3–5 k, node:http 55 k'
    return ratioFigure({ case: 2, job: `${procedure} vs bare tRPC`, unit: '/CPU s', least: 0.5, limit, note }, result)
  } finally {
    await peer.stop()
  }
}
