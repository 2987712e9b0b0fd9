import { Client } from 'pg'
import { startApi, type TestApi } from '#server/testing/api.ts'
import { type SecondNode, secondNode } from './second-node.ts'

/** An installation on two nodes, with the administrators of its two tenants, and its database. */
export type TwoNodes = {
  api: TestApi
  node: SecondNode
  owner: Client
  /** Tokens of admin-automation. */
  admin: { northwind: string; globex: string }
  close(): Promise<void>
}

export async function twoNodes(): Promise<TwoNodes> {
  const api = await startApi()
  const node = await secondNode(api)
  const owner = new Client({ connectionString: api.ownerUrl })
  await owner.connect()
  const admin = {
    northwind: await api.client('admin-automation'),
    globex: await api.client('admin-automation', 'globex'),
  }
  return {
    api,
    node,
    owner,
    admin,
    async close() {
      await owner.end()
      await node.close()
      await api.close()
    },
  }
}
