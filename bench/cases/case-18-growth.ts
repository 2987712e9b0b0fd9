import { signTenant } from '#server/audit/sealing/sign-tenant.ts'
import { findLatestCheckpoint } from '#server/audit/store.ts'
import { testTenant } from '#server/testing/tenant.ts'
import { copyRows } from '../copy-rows.ts'
import type { Lab } from '../lab.ts'
import { closedLoop } from '../load.ts'
import { cpuSeconds } from '../procfs.ts'
import { type Figure, figure, number } from '../report.ts'
import { seedDay } from '../seed-day.ts'
import { boundAgent, ourDecision } from './case-03-policy.ts'
import { ourAppend } from './case-09-audit.ts'

const flat = 1.5
const few = 1000
const width = 4
const segmentMs = 3000
/** Checkpoints of each size: one takes milliseconds, and processor time is counted in ticks of ten. */
const checkpoints = 60

/** What must cost the same with 1,000 rows and with `many`. Lists are in case 13, and the queue in 6-many. */
export async function growth(lab: Lab, postmaster: number, many: number): Promise<Figure[]> {
  const cpu = () => cpuSeconds([process.pid, postmaster], [])
  return [await decisions(lab, cpu, many), await interimCheckpoints(lab, cpu, many)]
}

async function decisions(lab: Lab, cpu: () => number, many: number): Promise<Figure> {
  const request = await boundAgent(lab, 10)
  const each = async () => {
    const before = cpu()
    const done = await closedLoop(width, performance.now() + segmentMs, () => ourDecision(lab, request))
    return (cpu() - before) / done
  }
  await ourDecision(lab, request)
  await copyDecisions(lab, few)
  await each()
  const small = await each()
  await copyDecisions(lab, many - few)
  await each()
  return grown(3, `policy decision with ${number(many)} recorded ones`, small, await each())
}

const copyDecisions = (lab: Lab, count: number): Promise<void> =>
  copyRows(lab, 'policy_decisions', count, { fresh: ['execution_id'] })

/** Each covers one record more of the same day. */
async function interimCheckpoints(lab: Lab, cpu: () => number, many: number): Promise<Figure> {
  const each = async (records: number) => {
    const tenant = await testTenant(lab.runtime)
    const today = new Date().toISOString().slice(0, 10)
    await seedDay({ tenant, owner: lab.owner }, today, records)
    await lab.owner.query('vacuum analyze audit_records')
    // The first one covers all of them.
    await signTenant(tenant.id)
    const before = cpu()
    for (let index = 0; index < checkpoints; index++) {
      await ourAppend(lab, tenant)
      await signTenant(tenant.id)
    }
    const spent = cpu() - before
    const last = await lab.runtime.database.inTenant(tenant.id, (tx) => findLatestCheckpoint(tx, tenant.id, today))
    // The tenant has a few records from the beginning.
    const covered = last?.size ?? 0
    if (covered < records + checkpoints)
      throw new Error(`The checkpoint covers ${covered} of ${records + checkpoints} records.`)
    return spent / checkpoints
  }
  await each(few)
  return grown(10, `record and interim checkpoint of a day of ${number(many)}`, await each(few), await each(many))
}

const grown = (ofCase: number, job: string, small: number, large: number): Figure =>
  figure({
    case: ofCase,
    job,
    ours: `${number(large * 1000)} CPU ms`,
    peer: `${number(small * 1000)} CPU ms with ${number(few)}`,
    ratio: `${number(large / small)}×`,
    target: `≤ ${flat}×`,
    met: large / small <= flat ? 'yes' : 'no',
    data: { small, large },
  })
