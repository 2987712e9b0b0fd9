import type { OwnProgram } from '#lib/schemas/sessions.ts'

/** Its own name, or its id, which for some is the address of the document that describes it. */
export const programName = ({ name, clientId }: OwnProgram): string => name ?? clientId
