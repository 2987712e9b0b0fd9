import { closeManifestThread } from '#server/agents/manifest-thread.ts'
import { closeToolServers } from '#server/agents/stdio-connections.ts'
import { fillDemo, fortnightMs, requestEvidence } from '#server/demo/company/fill.ts'
import { ownQueue } from '#server/demo/company/own-queue.ts'
import { companyMcpServers } from '#server/demo/company/tool-servers.ts'
import { tryDemoLock } from '#server/demo/store.ts'
import type { Config } from '#server/kernel/config.ts'
import { openDatabase } from '#server/kernel/db/database.ts'
import { connectOwner } from '#server/kernel/db/migrate.ts'
import { makePartitions } from '#server/kernel/db/partitions.ts'
import { runtime, setRuntime } from '#server/kernel/runtime.ts'
import { closeEngine } from '#server/policies/engine/engine.ts'
import { findUnfinishedDemos, moveTenantClock } from '#server/tenants/clock-store.ts'
import { registerCatalog } from './catalog/operations.ts'
import { collectCatalog } from './catalog.ts'
import { CommandError, type Say } from './command-line.ts'
import { jobs, registerDecisions } from './jobs.ts'
import { openInstallation } from './tenant-acts.ts'

/** Makes a demo tenant, fills it, and says how to sign in. `share`: how much of the whole fortnight. */
export async function makeDemo(config: Config, share: number, say: Say): Promise<void> {
  const { ownerUrl, close } = await openInstallation(config, say, 8)
  const closing: (() => Promise<unknown>)[] = [close]
  try {
    const { log, queue: shared } = runtime()
    const owner = openDatabase(ownerUrl, log, { poolSize: 1 })
    closing.push(() => owner.close())
    const client = await connectOwner(ownerUrl)
    closing.push(() => client.end())
    if (!(await tryDemoLock(client)))
      throw new CommandError('Another process is making a demo. Wait until it has ended.')
    for (const { id, slug } of await runtime().database.inDirectory(findUnfinishedDemos)) {
      await owner.inTenant(id, (tx) => moveTenantClock(tx, id, 0))
      say(`The demo ${slug} was interrupted. It stays as it is, on the ordinary clock.`)
    }
    await makePartitions(client, new Date(Date.now() - fortnightMs).toISOString().slice(0, 10), 14)
    // Creates the queues, and takes no job of other tenants.
    await shared.work(jobs.map((job) => ({ ...job, concurrency: 0 })))
    const own = ownQueue(jobs)
    setRuntime({
      ...runtime(),
      mcpServers: companyMcpServers(),
      queue: { ...shared, enqueue: own.enqueue, enqueueFirst: own.enqueueFirst },
    })
    closing.push(closeEngine, closeManifestThread, closeToolServers)
    registerDecisions()
    registerCatalog(collectCatalog())
    say('Making the demo: two weeks of a company take about a minute.')
    const began = performance.now()
    const { tenantId, slug, credentials, filled } = await fillDemo(owner, own, share)
    setRuntime({ ...runtime(), queue: shared })
    await own.handOver(shared, (work) => runtime().database.inTenant(tenantId, work))
    await requestEvidence(tenantId)
    const { started, decided, traces } = filled
    const seconds = Math.round((performance.now() - began) / 1000)
    say(`${started} executions, ${decided} decisions and ${traces} traces of unregistered programs in ${seconds} s.`)
    say(
      `Sign in at ${config.baseUrl} with the organisation ${slug}, as priya, felix, greta, victor or another of its people.`,
    )
    say(`Their passwords: ${credentials}`)
  } finally {
    for (const step of closing.reverse()) await step()
  }
}
