/** What a record says changed; the rest of it is for those who may read the log. */
export type ChangeRecord = {
  date: string
  seq: number
  auditId: string
  action: string
  actorId: string
  resourceType: string
  resourceId: string
}
