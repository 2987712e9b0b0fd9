import { type Calls, payload } from '#server/testing/api.ts'
import { type ExecutionAnswer, executionsOf } from '#server/testing/executions.ts'
import { until } from '#server/testing/until.ts'

// What people do in the demo, over HTTP, on a server of any version.

/** Waits for the open request for approval with this amount in its title. */
export const openRequest = (api: Calls, amount: string): Promise<string> =>
  until(async () => {
    const { items } = payload<{ items: { approvalId: string; title: string }[] }>(
      await api.query(await api.person('jonas'), 'approvals.getPending', {}),
    )
    return items.find(({ title }) => title.includes(amount))?.approvalId
  }, `the request for ${amount}`)

export const approve = async (api: Calls, approvalId: string): Promise<void> => {
  payload(
    await api.mutate(await api.person('jonas'), 'approvals.decide', {
      approvalId,
      decision: 'approve',
      decisionAcknowledged: true,
      reason: 'The order was returned.',
    }),
  )
}

/** An execution of the demo's agent, from its start over the approval to its end. */
export async function refund(
  api: Calls,
  agentId: string,
  { orderId, amount }: { orderId: string; amount: string },
): Promise<ExecutionAnswer> {
  const executions = executionsOf(api)
  const id = await executions.start(agentId, { orderId })
  await approve(api, await openRequest(api, amount))
  return await executions.ended(id)
}

export const listExecutions = async (
  api: Calls,
): Promise<{ id: string; status: string; agentId: string; traceId: string }[]> =>
  payload<{ items: { id: string; status: string; agentId: string; traceId: string }[] }>(
    await api.query(await api.person('maria'), 'executions.list', {}),
  ).items

/** The archive of everything until now. */
export async function exportAll(api: Calls, since: string): Promise<Blob> {
  const auditor = await api.client('audit-export')
  const created = await api.request(auditor, '/v1/evidence/export-jobs', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ startDate: since, endDate: new Date(Date.now() + 1000).toISOString(), includeProofs: true }),
  })
  const path = `/v1/evidence/factory/jobs/${(created.body as { exportId: string }).exportId}`
  const status = await until(async () => {
    const job = (await api.request(auditor, path)).body as { status: string; error?: unknown }
    return /^(completed|failed|canceled)/.test(job.status) ? JSON.stringify(job) : undefined
  }, 'the export ended')
  const archive = await fetch(`${api.baseUrl}${path}/download`, { headers: { authorization: `Bearer ${auditor}` } })
  if (archive.status !== 200) throw new Error(`${status} ${await archive.text()}`)
  return await archive.blob()
}
