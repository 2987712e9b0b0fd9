import type { OpenTransaction } from '#server/kernel/db/database.ts'
import { takeAtOnce, takeCalls } from '#server/kernel/rate/limits.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { type Credentials, identify, type Presented, present } from './authenticate.ts'
import type { Caller } from './principal.ts'

/** The transaction in which a caller was identified: the first operation that runs continues in it. */
export type Admission = {
  caller: Caller
  /** The transaction, bound to the caller's tenant, for the first caller of this function, which then has to end it. */
  claim(): OpenTransaction | undefined
  /**
   * Ends the transaction, unless it was claimed. Call it before waiting for anything other than this transaction, and
   * at the end: if every request holds a connection while waiting for another one, none gets it.
   */
  end(): Promise<void>
}

/**
 * Identifies the caller and checks the tenant's rate limit; every transport admits requests through this function. Only
 * members use up a tenant's budget. `calls` is the number of calls in a batch. Throws the errors of identify(), and
 * 429.
 */
export async function admit(presented: Presented, credentials: Credentials, calls = 1): Promise<Admission> {
  let opened: OpenTransaction | undefined = await runtime().database.open()
  const { tx } = opened
  const claim = () => {
    const claimed = opened
    opened = undefined
    return claimed
  }
  const end = async () => claim()?.rollBack()
  try {
    const caller = await identify(presented, credentials, { tx, end })
    if (takeAtOnce(caller.tenant.id, calls) === undefined) {
      // The budget uses another connection, so this one is released first.
      await end()
      await takeCalls(caller.tenant.id, calls)
    }
    return { caller, claim, end }
  } catch (error) {
    await end()
    throw error
  }
}

/**
 * Identifies only the caller, for a transport that runs no operation yet (a socket) or has to wait for a body first.
 */
export async function admitCaller(credentials: Credentials): Promise<Caller> {
  const { caller, end } = await admit(await present(credentials), credentials)
  await end()
  return caller
}
