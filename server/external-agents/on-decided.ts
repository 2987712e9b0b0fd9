import type { OnDecided } from '#server/approvals/subjects.ts'

/** Nothing of ours waits for it: the agent asks again, and the approval is spent then. */
export const externalCallDecided: OnDecided = async () => undefined
