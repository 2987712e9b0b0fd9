import { z } from 'zod'
import { Actor, Id, Time } from './common.ts'

/** Content removed from what the response shows. `erasureId` and `by` are null if the tenant's retention removed it. */
export const Erased = z.object({ at: Time, erasureId: Id.nullable(), by: Actor.nullable() })
export type Erased = z.infer<typeof Erased>
