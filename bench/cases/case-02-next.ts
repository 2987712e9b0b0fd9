import type { TestApi } from '#server/testing/api.ts'
import { serveRoutesThroughNext } from '#server/testing/routes-through-next.ts'
import { serverMemory } from '../../cli/server-memory.mjs'
import { call, httpSide } from '../load.ts'
import type { comparer } from '../measure.ts'
import { type Figure, ratioFigure } from '../report.ts'
import { ourQueryCall } from './case-02-query.ts'

/** The same handler, token and rows, with Next in front of the handler instead of our own HTTP server. */
export async function queryThroughNext(
  api: TestApi,
  apiPid: number,
  compare: ReturnType<typeof comparer>,
): Promise<Figure[]> {
  const { environment, options } = serverMemory
  const next = await serveRoutesThroughNext(api, { ...environment, NODE_OPTIONS: options.join(' ') })
  try {
    const [ours, theirs] = [await ourQueryCall(api), await ourQueryCall(api, next.address)]
    const [one, other] = [await call(ours), await call(theirs)]
    if (one !== other) throw new Error(`Not the same work: ${one} and ${other}`)
    const result = await compare(
      httpSide('Next', [next.process.pid ?? 0], true, theirs),
      httpSide('countersign', [apiPid], true, ours),
    )
    const note = 'the same handler, with authentication and PostgreSQL in both'
    const job = 'tenants.current vs the same handler through Next'
    return [ratioFigure({ case: 2, job, rival: true, unit: '/CPU s', least: 5, note }, result)]
  } finally {
    await next.close()
  }
}
