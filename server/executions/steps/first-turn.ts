import { ApiError, type ErrorCode } from '#lib/errors.ts'
import { Execution, type ExecutionStatus } from '#lib/schemas/executions.ts'
import { releasedTool } from '#server/executions/runtimes/external.ts'
import { nextOf } from '#server/executions/runtimes/next-turn.ts'
import { type Loaded, loadExecution } from '#server/executions/state/load.ts'
import { maskText } from '#server/executions/state/masking.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { foresee } from '#server/policies/decisions/decide.ts'
import { takeTurn } from './advance.ts'
import { requestOf } from './call-request.ts'

/**
 * Whoever starts an execution whose first call may not be made hears of it at once: the call is decided here, in the
 * transaction that starts it, when it will not simply be allowed. So is one that people are asked about, because there may be
 * nobody to ask. Anything else is left to a worker. Gives how the execution stands then, with the refusal of a denied one.
 */
export async function takeFirstTurn(
  tx: Transaction,
  tenantId: string,
  id: string,
): Promise<{ status: ExecutionStatus; refusal?: ApiError }> {
  const loaded = await load(tx, tenantId, id)
  if (!(await needsDecision(tx, loaded))) return { status: loaded.status }
  for (;;) {
    const turn = await takeTurn(tx, tenantId, id)
    if (turn.kind === 'wait') return await standing(tx, tenantId, id)
    // Nothing outside is called before this is committed: then a worker decides it.
    if (turn.kind === 'call') throw new ApiError('unavailable', 'The policies are just changing. Try again.')
  }
}

/** How an execution stands that was started before; a denied one with its refusal. */
export async function standing(
  tx: Transaction,
  tenantId: string,
  id: string,
): Promise<{ status: ExecutionStatus; refusal?: ApiError }> {
  const loaded = await load(tx, tenantId, id)
  const { status } = loaded
  return status === 'denied' ? { status, refusal: refusalOf(loaded) } : { status }
}

async function load(tx: Transaction, tenantId: string, id: string): Promise<Loaded> {
  const loaded = await loadExecution(tx, tenantId, id)
  if (loaded === undefined) throw new Error(`The execution ${id} is gone.`)
  return loaded
}

async function needsDecision(tx: Transaction, loaded: Loaded): Promise<boolean> {
  const next = nextOf(loaded)
  if (next.kind !== 'call') return false
  const tool = releasedTool(loaded.content, next.tool)
  return tool === undefined || (await foresee(tx, loaded.tenant, requestOf(loaded, tool, next))) !== 'allow'
}

/** 403, or 409 when nobody could have approved. `denial` is what the execution ended with. */
function refusalOf({ row, mask }: Loaded): ApiError {
  const { code, message } = Execution.shape.error.parse(row.error) ?? unexplained
  const told: ErrorCode = code === 'no_eligible_approver' ? code : 'policy_denied'
  const shown = maskText(mask, message)
  return new ApiError(told, shown, {
    details: { executionId: row.id, traceId: row.traceId, status: 'denied', denial: { code, message: shown } },
  })
}

const unexplained = { code: 'policy_denied', message: 'The execution was denied.' }
