import { takeCalls } from '#server/kernel/rate/limits.ts'
import { authenticate, type Credentials } from './authenticate.ts'
import type { Caller } from './principal.ts'

/**
 * Who calls, and whether their tenant may call now: every transport lets a request in through here. Only members spend a
 * tenant's budget; a stranger can't. `calls` is how many a batch holds. Throws what authenticate() throws, and 429.
 */
export async function admit(credentials: Credentials, calls = 1): Promise<Caller> {
  const caller = await authenticate(credentials)
  await takeCalls(caller.tenant.id, calls)
  return caller
}
