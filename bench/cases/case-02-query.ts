import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
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
    await besideNext(api, apiPid, compare, ours),
    figure({
      case: 2,
      job: `${procedure}, one after the other`,
      target: `p99 ≤ ${p99LimitMs} ms`,
      ...(times === undefined
        ? { ours: 'SKIP(noisy)' }
        : {
            ours: `p50 ${number(times.p50)} p99 ${number(times.p99)} ms`,
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
    return ratioFigure({ case: 2, job: `${procedure} vs bare tRPC`, unit: '/CPU s', least: 0.6, note }, result)
  } finally {
    await peer.stop()
  }
}

async function besideNext(api: TestApi, apiPid: number, compare: Compare, ours: HttpCall): Promise<Figure> {
  const job = `${procedure} vs the same through Next`
  if (!existsSync(join(import.meta.dirname, '../..', '.next', 'BUILD_ID')))
    return figure({ case: 2, job, ours: 'SKIP(no build)' })
  const peer = await startChild('bench/peers/next-api.ts', {
    PORT: '0',
    BASE_URL: api.baseUrl,
    DATABASE_URL: api.ownerUrl,
    DATA_DIR: join(dirname(api.gate), 'data'),
    RATE_LIMIT_PER_MINUTE: '1000000',
  })
  try {
    const theirs = await ourQueryCall(api, peer.address)
    const [one, other] = [await call(ours), await call(theirs)]
    if (one !== other) throw new Error(`Not the same work: ${one} ${other}`)
    const result = await compare(
      httpSide('through Next', [peer.pid], true, theirs),
      httpSide('countersign', [apiPid], true, ours),
    )
    return ratioFigure({ case: 2, job, unit: '/CPU s', least: 2.5, note: 'same authentication and database' }, result)
  } finally {
    await peer.stop()
  }
}
