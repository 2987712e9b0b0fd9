import type { CallingProgram } from '#lib/schemas/approvals/program.ts'

/** Its own name, or its id, which for some is the address of the document that describes it; '' if neither is known. */
export const programName = ({ name, id }: CallingProgram): string => name ?? id ?? ''
