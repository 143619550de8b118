import { isJsonObject, type Json } from '../../base/lib/canonical-json.ts'
import { withoutTrailing } from '../../base/lib/without-trailing.ts'
import { timeText } from './instant.ts'
import { decimalText } from './leaves.ts'

/**
 * The templates whose payloads have the members below, each with the type that Splice's Daml models
 * give it. The payloads of all other templates are compared as they are.
 */
const templates: ReadonlySet<string> = new Set([
  'Splice.Amulet:FeaturedAppRight',
  'Splice.Amulet:UnclaimedDevelopmentFundCoupon',
  'Splice.AmuletRules:AmuletRules',
  'Splice.AmuletRules:TransferPreapproval',
  'Splice.Ans:AnsRules',
  'Splice.DSO.AmuletPrice:AmuletPriceVote',
  'Splice.DSO.SvState:SvNodeState',
  'Splice.DsoRules:DsoRules',
  'Splice.DsoRules:VoteRequest',
  'Splice.ExternalPartyAmuletRules:TransferCommand',
  'Splice.Round:ClosedMiningRound',
  'Splice.Round:IssuingMiningRound',
  'Splice.Round:OpenMiningRound',
  'Splice.ValidatorLicense:ValidatorLicense',
])

/** The steps of fees are pairs of decimals, and the schedule of configurations begins with a time. */
const pair = ['_1', '_2']

const decimals: ReadonlySet<string> = new Set([
  ...pair,
  'amount',
  'amuletPrice',
  'amuletToIssuePerYear',
  'appRewardPercentage',
  'entryFee',
  'extraFeaturedAppRewardAmount',
  'extraTrafficPrice',
  'featuredAppActivityMarkerAmount',
  'featuredAppRewardCap',
  'fee',
  'initialRate',
  'issuancePerFeaturedAppRewardCoupon',
  'issuancePerSvRewardCoupon',
  'issuancePerUnfeaturedAppRewardCoupon',
  'issuancePerValidatorRewardCoupon',
  'optDevelopmentFundPercentage',
  'optIssuancePerValidatorFaucetCoupon',
  'optValidatorFaucetCap',
  'rate',
  'transferPreapprovalFee',
  'unfeaturedAppRewardCap',
  'validatorRewardCap',
  'validatorRewardPercentage',
  'weight',
])

const times: ReadonlySet<string> = new Set([
  ...pair,
  'expiresAt',
  'lastActiveAt',
  'lastRenewedAt',
  'lastUpdatedAt',
  'opensAt',
  'optCastAt',
  'targetClosesAt',
  'targetEffectiveAt',
  'topologyFreezeTime',
  'upgradeTime',
  'validFrom',
  'voteBefore',
])

export interface WithPayload {
  readonly template_id: string
  readonly payload: { readonly [key: string]: Json }
}

/**
 * Returns the contract with each decimal and each time of its payload in one text, as scans print
 * them: `1.0`, `2026-03-01T12:00:00Z`. Returns the contract itself if nothing changes.
 */
export function payloadInOneText<Contract extends WithPayload>(contract: Contract): Contract {
  const { template_id: id, payload } = contract
  if (!templates.has(id.slice(id.indexOf(':') + 1))) return contract
  const inOneText = rewritten(payload, '') as WithPayload['payload']
  return inOneText === payload ? contract : { ...contract, payload: inOneText }
}

function rewritten(value: Json, name: string): Json {
  if (typeof value === 'string') return textOf(value, name)
  if (Array.isArray(value)) {
    const items = value.map((item) => rewritten(item, name))
    return items.every((item, at) => item === value[at]) ? value : items
  }
  if (!isJsonObject(value)) return value
  const changed = Object.entries(value).flatMap(([key, member]) => {
    const one = rewritten(member, key)
    return one === member ? [] : [[key, one] as const]
  })
  return changed.length === 0 ? value : { ...value, ...Object.fromEntries(changed) }
}

function textOf(text: string, name: string): string {
  const time = times.has(name) ? timeText(text) : text
  if (time !== text || !decimals.has(name)) return time
  const decimal = decimalText(text)
  return decimal.endsWith('0') && decimal.includes('.')
    ? withoutTrailing('0', decimal).replace(/\.$/, '.0')
    : decimal
}
