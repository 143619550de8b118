const day = 24 * 60

/**
 * Made-up users with the labels of their names. Some labels differ only in `_` and `-`, because
 * databases sort such names in different orders.
 */
const owners: readonly (readonly [owner: string, labels: string, description: string])[] = [
  ['acme-validator-1', 'acme acme-labs acme_labs acmelabs acme-2', 'ACME treasury desk'],
  ['alice', 'alice alice-wonder alice_wonder', ''],
  ['aurora-exchange', 'aurora aurora-otc', 'OTC and spot'],
  ['bank_of_the_lake', 'bank-of-the-lake bank_of_the_lake lakebank', 'Member of the deposit scheme'],
  ['bob', 'bob', 'Bob, just Bob'],
  ['boreal-custody', 'boreal boreal-cold boreal-hot', 'Custody since 2019'],
  ['carol', 'carol', ''],
  ['cedar-payments', 'cedar cedarpay', 'Zahlungen für Zürich, Genève und Łódź'],
  ['dave', 'dave', ''],
  ['delta-one', 'delta-1 delta1 delta_1', ''],
  ['erin', 'erin', 'erin@example.org'],
  ['fjord-validator-1', 'fjord fjord-fund', 'Et lite fond fra Bodø'],
  ['grace', 'grace', ''],
  ['harbour-clearing', 'harbour harbour-clearing', 'Clearing, "T+0"'],
  ['heidi', 'heidi', ''],
  ['indigo', 'indigo', ''],
  ['ivan', 'ivan', ''],
  ['judy', 'judy', ''],
  ['kite-labs-validator', 'kite kite-labs kite-labs-staging', 'Back\\slash & <brackets>'],
  ['lotus-market', 'lotus', '蓮の市場 🪷'],
  ['mint-and-bell', 'mint_and_bell', ''],
  ['nimbus', 'nimbus', ''],
  ['olive-tree', 'olive-tree', ''],
  ['peggy', 'peggy', ''],
  ['quarry-capital', 'quarry', ''],
  ['rook', 'rook', ''],
  ['sable-funds', 'sable', ''],
  ['trent', 'trent', 'Trusted by most'],
  ['umbra', 'umbra', ''],
  ['victor', 'victor', ''],
  ['walrus-and-co', 'walrus', ''],
  ['zenith', 'zenith zenith-0', ''],
]

const endsSoon: Readonly<Record<string, number>> = {
  'kite-labs-staging': 2,
  'boreal-hot': 3,
  'acme-2': 5,
  'zenith-0': 8,
}

/** The label of a name is the name without its ending `.unverified.<acronym>`. */
export function registrations() {
  let count = 0
  return owners.flatMap(([owner, labels, description]) =>
    labels.split(' ').map((label) => ({
      label,
      owner,
      url: count++ % 5 === 4 ? '' : `https://${label.replaceAll('_', '-')}.example`,
      description,
      heldForMinutes: endsSoon[label] ?? day * (14 + ((count * 17) % 76)),
    })),
  )
}
