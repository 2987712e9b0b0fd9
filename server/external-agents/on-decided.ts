import type { OnDecided } from '#server/approvals/subjects.ts'

/** Does nothing: the external agent requests a new decision, which spends the approval. */
export const externalCallDecided: OnDecided = async () => undefined
