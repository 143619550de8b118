/** The ids are those of the packages in Splice's releases (daml/dars.lock). */
export interface Package {
  readonly name: string
  readonly id: string
}

export const amuletPackage: Package = {
  name: 'splice-amulet',
  id: 'fb10433a48c24f30076a7aee03a3e314b7ab02fe9a22e2069e3af92d2b6ac88a',
}

export const paymentsPackage: Package = {
  name: 'splice-wallet-payments',
  id: '866ea53bea2afc099c560ad4c386a1736859841b17c422836f133d605ee51616',
}

export const nameServicePackage: Package = {
  name: 'splice-amulet-name-service',
  id: '9cffe65feb664c9550937433067e9f969e3795c6fb38715e06a5e04fc1ae1f83',
}

/**
 * The package of the `AnsRules` contract on a new network. The contract keeps this package id when
 * later versions of the package are released.
 */
export const foundingNameServicePackage: Package = {
  name: 'splice-amulet-name-service',
  id: '053c7f4c2a77312e7d465a4fa7dc8cb298754ad12c0c987a7c401bd724e65efc',
}
