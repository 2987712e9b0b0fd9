import { z } from 'zod'
import { Time } from './common.ts'

/** A sign-in in one browser, with the tokens of every application that was opened with it. */
export const OwnSession = z.object({
  id: z.string(),
  /** The session that the call's own token belongs to. */
  current: z.boolean(),
  /** Browser and system of the sign-in, as the browser names itself: "Firefox on Linux". Null if it was before they were noted. */
  device: z.string().nullable(),
  /** The address of the last use. */
  address: z.string().nullable(),
  /** Client ids: the console, the command line. */
  applications: z.array(z.string()),
  signedInAt: Time,
  /** When it last signed in to an application or renewed a token. */
  lastUsedAt: Time.nullable(),
  expiresAt: Time,
})
export type OwnSession = z.infer<typeof OwnSession>

/** The newest hundred by the second of their sign-in; the newest first. */
export const OwnSessions = z.object({ sessions: z.array(OwnSession).max(100) })

export const EndSessionInput = z.strictObject({ id: z.string().regex(/^[\w-]{1,64}$/, 'Use the id of a session.') })
/** How many sessions ended. */
export const EndedSessions = z.object({ ended: z.int() })
