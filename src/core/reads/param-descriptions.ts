import type { PlainParam } from './param-text.ts'

const descriptions: Readonly<Record<string, string>> = {
  after: 'The snapshot is later than this.',
  allocationId: 'A contract id.',
  allocationInstructionId: 'A contract id.',
  batch_hash: 'The hash of the part, in hex.',
  before: 'The snapshot is not later than this.',
  contract_id: 'A contract id.',
  daml_value_encoding: 'How Daml values are printed.',
  domain_id: 'The id of the synchronizer.',
  hash: 'The hash of the prepared transaction.',
  instrumentId: "The token's id.",
  limit: 'The most licenses to answer; 1000 where it is left out.',
  migration_id: 'The migration whose snapshots are meant.',
  name: 'The name, as registered; percent-encoded.',
  name_prefix: 'Only names that start with this text, case-sensitive.',
  nonce: 'The nonce of the command.',
  pageSize: 'The most tokens to answer; 25 where it is left out.',
  pageToken: 'The `nextPageToken` of the page before.',
  page_size: 'The most entries to answer.',
  party: 'A party id: `identifier::fingerprint`.',
  party_id: "The party's id.",
  provider_party_id: "A provider's party id.",
  round: 'The number of the round.',
  round_number: 'The number of the round.',
  sender: "The sender's party id.",
  transferInstructionId: 'A contract id.',
  update_id: "The update's id.",
  validator_ids: "The validators' party ids, one each time the parameter is given.",
  vote_request_contract_id: "The request's contract id.",
}

/** Says for people what a parameter is. */
export function descriptionOf({ name, kind }: PlainParam): string | undefined {
  return kind === 'page token'
    ? 'Not taken: page tokens mean something to one scan only.'
    : descriptions[name]
}
