import { z } from 'zod'
import { Time } from './common.ts'

/** A program of another vendor, such as the MCP client of an editor, that may call tools in the person's name. */
export const OwnProgram = z.object({
  clientId: z.string(),
  /** As it named itself when it registered. Null for one that is known by the address of its document. */
  name: z.string().nullable(),
  /** The tool servers of agents that it may call; `environment` is null if it is not limited to one. */
  gateways: z.array(z.object({ agent: z.string(), server: z.string(), environment: z.string().nullable() })),
  /** When the person allowed it. */
  allowedAt: Time,
})
export type OwnProgram = z.infer<typeof OwnProgram>

/** A sign-in in one browser, with the tokens of every application that was opened with it. */
export const OwnSession = z.object({
  id: z.string(),
  /** The session that the call's own token belongs to. */
  current: z.boolean(),
  /** Browser and system of the sign-in, as the browser names itself: "Firefox on Linux". Null if it was before they were noted. */
  device: z.string().nullable(),
  /** The address of the last use. */
  address: z.string().nullable(),
  /** Client ids: the console, the command line, and those of `programs`. */
  applications: z.array(z.string()),
  programs: z.array(OwnProgram),
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

/** A program in one of the caller's sessions. */
export const EndProgramInput = EndSessionInput.extend({ clientId: z.string().min(1).max(2048) })
/** Whether the program had access until now: 1 or 0. */
export const EndedPrograms = z.object({ ended: z.int() })
