import type { Client } from 'pg'

const prefix = 'countersign: unfinished restore '

/** The id of the restore that fills this database and has not ended; undefined if none does. */
export async function findMark(client: Client): Promise<string | undefined> {
  const { rows } = await client.query<{ comment: string | null }>(
    `select obj_description('public'::regnamespace, 'pg_namespace') as comment`,
  )
  const comment = rows[0]?.comment
  return comment?.startsWith(prefix) === true ? comment.slice(prefix.length) : undefined
}

/** Marks the database, as a comment of its schema; undefined: removes the mark. */
export async function setMark(client: Client, id: string | undefined): Promise<void> {
  await client.query(
    `comment on schema public is ${id === undefined ? 'null' : client.escapeLiteral(`${prefix}${id}`)}`,
  )
}
