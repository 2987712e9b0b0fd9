/** What the ids of objects look like. */
export const idForms = {
  uuid: /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i,
  traceId: /^[0-9a-f]{32}$/i,
} as const
