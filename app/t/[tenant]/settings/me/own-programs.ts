import type { OwnProgram, OwnSession } from '#lib/schemas/sessions.ts'

/** Its own name, or its id, which for some is the address of the document that describes it. */
export const programName = ({ name, clientId }: OwnProgram): string => name ?? clientId

/** None from a server of the version before, in a rolling restart. */
export const programsIn = (session: OwnSession): readonly OwnProgram[] => session.programs ?? []
