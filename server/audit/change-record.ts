/** The part of a record that names the change. The rest requires the permission to read the log. */
export type ChangeRecord = {
  date: string
  seq: number
  auditId: string
  action: string
  actorId: string
  resourceType: string
  resourceId: string
  /** The approval that the change refers to: a call spends one, in a record of the execution. */
  approvalId: string | null
}
