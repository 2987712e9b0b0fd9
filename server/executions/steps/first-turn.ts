import { ApiError, type ErrorCode } from '#lib/errors.ts'
import { Execution, type ExecutionStatus } from '#lib/schemas/executions.ts'
import { releasedTool } from '#server/executions/runtimes/external.ts'
import { nextOf } from '#server/executions/runtimes/next-turn.ts'
import { type Loaded, loadExecution } from '#server/executions/state/load.ts'
import { maskText } from '#server/executions/state/masking.ts'
import { Unforeseen } from '#server/kernel/db/closing.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { type DecisionAhead, foresee } from '#server/policies/decisions/decide.ts'
import { requestOf } from './call-request.ts'
import { takeTurn } from './turn.ts'

/**
 * Takes the first turn of an execution in the transaction that starts it, so that a denied first call is reported to the caller
 * immediately. Returns its state, with the refusal of a denied one. Throws Unforeseen if the call may be made after all, by a standing
 * grant or because the policies have just changed: the start is rolled back, and runs again to leave the call to a worker.
 */
export async function takeFirstTurn(
  tx: Transaction,
  tenantId: string,
  id: string,
): Promise<{ status: ExecutionStatus; refusal?: ApiError }> {
  for (;;) {
    const turn = await takeTurn(tx, tenantId, id)
    if (turn.kind === 'wait') return await standing(tx, tenantId, id)
    // No external call may be made before this transaction commits.
    if (turn.kind === 'call') throw new Unforeseen('allowed')
  }
}

/** The state of an execution that was already started, with the refusal of a denied one. */
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
  if (loaded === undefined) throw new Error(`Execution ${id} does not exist.`)
  return loaded
}

/**
 * Whether the first call of a new execution is decided in the transaction that starts it: unless it is expected to be allowed. This
 * includes a call that requires an approval, because no one may be eligible to decide. Whether a standing grant lets it run is found out
 * there, where it is used. Any other call is left to a worker; `ahead` is its decision, if that is known already.
 */
export async function foreseeFirstCall(
  tx: Transaction,
  loaded: Loaded,
): Promise<{ decidesNow: boolean; ahead?: DecisionAhead | undefined }> {
  const next = nextOf(loaded)
  if (next.kind !== 'call') return { decidesNow: false }
  const tool = releasedTool(loaded.content, next.tool)
  if (tool === undefined) return { decidesNow: true }
  const { effect, ahead } = await foresee(tx, loaded.tenant, requestOf(loaded, tool, next))
  return effect === 'allow' ? { decidesNow: false, ahead } : { decidesNow: true }
}

/** 403, or 409 when no one was eligible to approve the call. */
function refusalOf({ row, mask }: Loaded): ApiError {
  const { code, message } = Execution.shape.error.parse(row.error) ?? unexplained
  const told: ErrorCode = code === 'no_eligible_approver' ? code : 'policy_denied'
  const shown = maskText(mask, message)
  return new ApiError(told, shown, {
    details: { executionId: row.id, traceId: row.traceId, status: 'denied', denial: { code, message: shown } },
  })
}

const unexplained = { code: 'policy_denied', message: 'The execution was denied.' }
