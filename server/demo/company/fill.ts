import { randomInt } from 'node:crypto'
import { join } from 'node:path'
import { demoPrefix } from '#lib/verify/demo.ts'
import { signTenant } from '#server/audit/sealing/sign-tenant.ts'
import { call, callerOf } from '#server/demo/act-as.ts'
import { makeMembers, makeTenant, type TenantCredentials } from '#server/demo/make-tenant.ts'
import { branding } from '#server/demo/tenants.ts'
import { createExport } from '#server/evidence/create-export.ts'
import { adoptTenant } from '#server/kernel/bound/adopt.ts'
import { ordinaryTime, setClockBehind } from '#server/kernel/clock/process-clock.ts'
import { bindTenant, type Database } from '#server/kernel/db/database.ts'
import { writeDurably } from '#server/kernel/db/embedded/durable-file.ts'
import { olderProcesses } from '#server/kernel/db/older-processes.ts'
import { newRandomId } from '#server/kernel/ids.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { findTenantBySlug } from '#server/tenants/store.ts'
import { chanceOf } from './chance.ts'
import { companyClock } from './clock.ts'
import { type Filled, liveFortnight } from './fortnight.ts'
import type { OwnQueue } from './own-queue.ts'
import { clients, companyName, groups, mailDomain, users } from './people.ts'

export const fortnightMs = 14 * 86_400_000

/** `credentials`: the path of the file that has the passwords. */
type Made = { tenantId: string; slug: string; credentials: string; filled: Filled }

/**
 * Makes a demo tenant and lives two weeks in it. The clock of the process is behind while it does: nothing else may run in it.
 * `owner`: transactions of the database's owner.
 */
export async function fillDemo(owner: Database, queue: OwnQueue, share: number): Promise<Made> {
  const { config, database } = runtime()
  setClockBehind(fortnightMs)
  const slug = await freeSlug()
  const displayName = `${companyName} (demo)`
  const tenant = { id: newRandomId(), slug, externalId: `${demoPrefix}${slug}` }
  await owner.inDirectory(async (tx) => {
    await bindTenant(tx, tenant.id)
    await makeTenant(tx, {
      ...tenant,
      name: displayName,
      displayName,
      branding: branding(displayName, '#1d4e89'),
      clockBehind: `${fortnightMs} milliseconds`,
    })
  })
  const credentials = join(config.dataDir, `${slug}-credentials.json`)
  await database.inTenant(tenant.id, async (tx) => {
    const made: TenantCredentials = await makeMembers(tx, tenant, { mailDomain, groups, users, clients })
    // Written before the commit, as for the first start's demo: never accounts without their passwords.
    await writeDurably(
      credentials,
      `${JSON.stringify({ baseUrl: config.baseUrl, authUrl: config.authUrl, tenants: [made] }, null, 2)}\n`,
    )
  })
  await signTenant(tenant.id)
  // No earlier version wrote any of its rows.
  if (!(await database.inDirectory((tx) => olderProcesses(tx)))) await adoptTenant(tenant.id)
  const clock = companyClock(tenant.id, owner, queue)
  const until = new Date(ordinaryTime() - 60_000)
  const filled = await liveFortnight({ tenantId: tenant.id, clock, queue, chance: chanceOf(2026), share, until })
  await clock.catchUp()
  return { tenantId: tenant.id, slug, credentials, filled }
}

/** Requests the evidence of the fortnight, as an auditor would. A worker makes it when one runs. */
export async function requestEvidence(tenantId: string): Promise<void> {
  const auditor = await callerOf(tenantId, 'victor')
  const day = (ms: number) => new Date(Math.floor(ms / 86_400_000) * 86_400_000).toISOString()
  await call(
    createExport,
    { ...auditor, justification: 'Evidence for the quarterly review' },
    'evidence.factory.create',
    {
      startDate: day(Date.now() - fortnightMs),
      endDate: day(Date.now()),
      includeProofs: true,
      includeRawPayloads: false,
    },
  )
}

/** "harbour", or with a number if a demo of that name exists. */
async function freeSlug(): Promise<string> {
  return await runtime().database.inDirectory(async (tx) => {
    for (let number = 1; number < 1000; number++) {
      const slug = number === 1 ? 'harbour' : `harbour-${number}`
      if ((await findTenantBySlug(tx, slug)) === undefined) return slug
    }
    return `harbour-${randomInt(1000, 1_000_000)}`
  })
}
