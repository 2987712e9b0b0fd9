import { z } from 'zod'

/** The program that made a call over MCP in the name of the person or the account that requests its approval. */
export const CallingProgram = z.object({
  /** `client`: let in by the person's sign-in. `connection_token`: with a fixed token of the account. `mcp`: with a token of the API. */
  kind: z.enum(['client', 'connection_token', 'mcp']),
  /** Of the client or of the token; null for `mcp`. */
  id: z.string().nullable(),
  /** A client names itself, and one known by the address of its document does not have a name; a token has the name that its creator gave it. */
  name: z.string().nullable(),
})
export type CallingProgram = z.infer<typeof CallingProgram>
