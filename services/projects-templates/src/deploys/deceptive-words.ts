/** Names that pages which steal passwords often imitate: at any place of a label, also across its hyphens. */
export const anywhere = [
  'paypal amazon google microsoft office365 onedrive sharepoint facebook instagram whatsapp linkedin twitter netflix spotify dropbox docusign',
  'binance coinbase metamask ledgerwallet trustwallet mastercard americanexpress wellsfargo bankofamerica citibank jpmorgan capitalone barclays',
  'santander natwest revolutbank deutschebank commerzbank sparkasse volksbank raiffeisen postbank targobank unicredit intesasanpaolo klarna',
  'creditagricole bnpparibas societegenerale banquepostale ingdiba postfinance aliexpress mercadolibre walmart godaddy cloudflare github gitlab',
  'steamcommunity roblox playstation nintendo royalmail deutschepost vodafone verizon comcast xfinity chatgpt',
].flatMap((line) => line.split(' '));

/** Names that are too short or too ordinary for that, and words of sign-in pages: as a part between hyphens. */
export const asPart = [
  'appleid icloud itunes adobe yahoo gmail hotmail ebay dhl fedex usps laposte correos telekom tmobile telegram wechat alipay cashapp venmo',
  'zelle revolut monzo n26 hsbc openai irs hmrc login logon signin signon verify verification authenticate authentication password passwort',
  'unlock webmail onlinebanking ebanking 2fa otp',
].flatMap((line) => line.split(' '));
