import { z } from 'zod'
import { Actor, Id, Time } from './common.ts'

/** Content that is gone from what the answer shows. `erasureId` and `by` are null where the tenant's retention passed it. */
export const Erased = z.object({ at: Time, erasureId: Id.nullable(), by: Actor.nullable() })
export type Erased = z.infer<typeof Erased>
