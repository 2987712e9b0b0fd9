/** The store refused, or can't be reached. The message is for people who may see the export, and contains the store's answer. */
export class StoreFailed extends Error {
  override readonly name = 'StoreFailed'
}
