/** Lines of an archive that are not objects of their own: the log, lists, and what proves or opens something else. */
const notObjects = new Set(['audit', 'batches', 'omissions', 'other-records', 'raw', 'resources', 'traces'])

/** How many objects an archive has, by the counts in its manifest: rows and spans. */
export const objectsIn = (counts: Readonly<Record<string, number>>): number =>
  Object.entries(counts).reduce((sum, [kind, count]) => (notObjects.has(kind) ? sum : sum + count), 0)
