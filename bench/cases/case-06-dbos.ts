import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from 'pg'
import { emptyDatabase } from '#server/testing/database.ts'
import { startChild } from '../child.ts'
import type { Lab } from '../lab.ts'
import { call, closedLoop } from '../load.ts'
import type { comparer, Side } from '../measure.ts'
import { type Figure, number, ratioFigure } from '../report.ts'
import { installedPackages, unlessMissing } from '../rivals.ts'
import { executionRunner, width } from './case-06-execution.ts'

const name = '@dbos-inc/dbos-sdk'
const manifest: { dependencies: Record<string, string> } = JSON.parse(
  readFileSync(join(import.meta.dirname, '../peers/dbos/package.json'), 'utf8'),
)
const job = `execution of one step vs ${name} ${manifest.dependencies[name]}`

/** A workflow of DBOS with one step, which makes the same tool call, as many at once, in the same PostgreSQL. */
export const executionOfDbos = (lab: Lab, compare: ReturnType<typeof comparer>) =>
  unlessMissing(['npm'], { case: 6, job }, async () => {
    const folder = await installedPackages('dbos')
    const database = await emptyDatabase()
    try {
      return [await measure(lab, compare, folder, database.ownerUrl)]
    } finally {
      await database.close()
    }
  })

async function measure(
  lab: Lab,
  compare: ReturnType<typeof comparer>,
  folder: string,
  databaseUrl: string,
): Promise<Figure> {
  const once = await executionRunner(lab)
  const environment = { FOLDER: folder, DATABASE_URL: databaseUrl, WIDTH: String(width) }
  const dbos = await startChild('bench/peers/dbos.ts', environment)
  const rows = new Client({ connectionString: databaseUrl })
  try {
    await rows.connect()
    let ended = 0
    const peer: Side = {
      name: 'DBOS',
      processes: [dbos.pid],
      database: true,
      async run(deadline) {
        const ms = Math.round(deadline - performance.now())
        const done = Number(await call({ url: `${dbos.address}?ms=${ms}` }))
        ended += done
        return done
      },
    }
    const ours: Side = { name: 'countersign', database: true, run: (deadline) => closedLoop(width, deadline, once) }
    const result = await compare(peer, ours, { segmentMs: 1500 })
    await check(rows, ended)
    const note = `the same MCP tool call; DBOS lacks policy, audit, encryption and spans. ${number(result.wall.ours)} and ${number(result.wall.peer)} per second of time`
    return ratioFigure({ case: 6, job, rival: true, unit: '/CPU s', least: 1, note }, result)
  } finally {
    await rows.end()
    await dbos.stop()
  }
}

/** Throws unless the system database has `ended` workflows, each with the tool's answer as the output of its step. */
async function check(rows: Client, ended: number): Promise<void> {
  const { rows: found } = await rows.query<{ workflows: string; steps: string }>(
    `select count(*) as workflows, count(*) filter (where exists (
       select from dbos.operation_outputs where workflow_uuid = w.workflow_uuid and output like '%pavel.novak%')) as steps
     from dbos.workflow_status w where status = 'SUCCESS'`,
  )
  const { workflows, steps } = found[0] ?? { workflows: '0', steps: '0' }
  if (Number(workflows) !== ended || Number(steps) !== ended)
    throw new Error(`${ended} workflows ended, but DBOS recorded ${workflows} and ${steps} steps.`)
}
