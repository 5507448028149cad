import type { KindName } from '../kinds.ts';
import { plain, wordPattern } from './text.ts';

/**
 * The words by which a kind is recognised in English, German, French and Spanish, without accents and in lower
 * case. A word that ends
 * in `*` matches every word that begins with it.
 */
const kindVocabulary: Readonly<Record<Exclude<KindName, 'business'>, string>> = {
  bakery:
    'baker* patisserie bread* cake_shop pastry_shop backer* backerei* konditor* brot* boulang* patissi* viennoiserie panader* pasteler* reposter* tahona',
  restaurant:
    'restaurant* bistro* trattoria pizzer* osteria brasserie* diner eatery steakhouse sushi ramen tapas gasthaus* gasthof* wirtshaus* gaststatte* speiselokal auberge* creperie* restaurante* asador meson food_truck taqueria grill imbiss*',
  cafe: 'cafe* coffee* coffeeshop tea_room teahouse espresso rosterei* kaffee* salon_de_the torrefact* cafeteria* tetería teteria ice_cream eisdiele* glacier* heladeria*',
  bar: 'bar bars pub pubs cocktail* speakeasy kneipe* taproom brewery brauerei* weinbar bar_a_vin brasserie_artisanale cerveceria* cocteleria* taverne* taberna* nightclub club_nocturno',
  hotel:
    'hotel* hostel* guesthouse* guest_house bed_and_breakfast b&b bnb inn pension* ferienwohnung* ferienhaus* chambre*_d_hote* gite* maison_d_hotes hostal* posada* casa_rural alojamiento* holiday_home',
  winery:
    'winer* vineyard* wine_maker winemaker weingut* winzer* vignoble* vigneron* domaine_viticole viticul* bodega* vinedo* viñedo* viticultor* cave_a_vin',
  florist: 'florist* flower* floral blumen* florister* gartnerei_blumen fleuriste* fleurs flor flores floristeria*',
  bookshop:
    'bookshop* bookstore* bookseller* book_shop book_store buchhand* buchladen* antiquariat* librairie* libraire* bouquiniste libreria* librero*',
  hairdresser:
    'hair* hairdresser* barber* salon_hair friseur* frisor* coiffeu* coiffure barbier peluquer* barberia* barbero* estilista hairstylist*',
  spa: 'spa spas massage* wellness beauty* cosmetic* kosmetik* nail* nagelstudio institut_de_beaute esthetici* bien-etre masaj* belleza estetica esteticista* sauna* hammam* thermal* facial*',
  yoga: 'yoga* pilates meditation* meditacion* ashtanga vinyasa',
  gym: 'gym gyms fitness* crossfit personal_train* personaltrain* workout* fitnessstudio* salle_de_sport coach_sportif gimnasio* entrenador* boxing boxclub kampfsport* martial_arts dojo',
  dentist:
    'dentist* dental* orthodont* zahnarzt* zahnarzt* kieferortho* zahn* cabinet_dentaire dentaire* clinica_dental odontolog* ortodoncia doctor_dentist',
  physiotherapist:
    'physio* physiotherap* osteopath* chiropract* krankengymnastik kinesi* kinesitherap* masseur-kine fisioterap* osteopat* quiropract* doctor* medical* arztpraxis hausarzt* medecin* cabinet_medical medico* clinica_medica therap* heilpraktiker*',
  vet: 'vet vets veterinar* animal_clinic tierarzt* tierklinik* tierheilpraktiker* veterinaire* clinique_veterinaire pet_clinic hundesalon* dog_groom* groomer*',
  plumber:
    'plumb* heating* boiler* drain* klempner* sanitar* installateur* heizung* plombier* plomberie chauffag* fontaner* plomero* calefaccion',
  electrician:
    'electrici* electric_installation* elektrik* elektro* elektroinstall* electricite electricista* electricidad solar* photovolta* fotovolta*',
  carpenter:
    'carpent* joiner* woodwork* cabinet_maker furniture* tischler* schreiner* zimmerer* zimmerei* mobel* menuis* ebenist* charpent* carpinter* ebanist* muebles handcraft* handwerk* artisan* dachdecker* roofer* couvreur* maler painter* peintre* pintor*',
  gardener:
    'garden* landscap* tree_surgeon gartner* garten* landschaftsbau* baumpflege* jardinier* paysagiste* jardin* jardiner* paisajis* nursery',
  garage:
    'garage* car_repair mechanic* auto_repair car_workshop autowerkstatt* kfz* werkstatt* reifen* carrosser* mecanicien* mecanique taller_mecanico taller* mecanico* bike_repair bicycle* fahrrad* velo* bicicleta*',
  lawyer:
    'lawyer* law attorney* solicitor* barrister* notary* legal_advice anwalt* anwaltskanzlei* rechtsanwalt* kanzlei* notar* avocat* cabinet_d_avocat* notaire* abogad* bufete* notari* despacho_de_abogados juriste* legal',
  tax: 'tax* account* bookkeep* steuer* steuerberat* buchhalt* buchfuhrung comptab* expert-comptable* fiscal* contab* contador* asesor_fiscal* asesoria* gestoria* wirtschaftspruf*',
  architect: 'architec* architek* arquitect* interior_design* innenarchit* urbanis* structural_engineer* bauingenieur*',
  photographer:
    'photograph* photo_studio fotograf* fotostudio* photographe* fotograf* videograph* filmmaker* film_maker illustrator* artist* kunstler* artiste* artista* portfolio* designer* graphi*',
  software:
    'software* saas app apps startup* start-up* platform* web_app tool tools api logiciel* aplicacion* plataforma* programa cloud developer* entwickler* ki-tool ai_tool',
  association:
    'association* non-profit* nonprofit* charity charities ngo club clubs verein* sportverein* stiftung* foundation* foundations asso associatif ong asociacion* fundacion* community* nachbarschaft* church* kirche* eglise* iglesia* school* schule* ecole* escuela* choir* chor chorale* coro',
};
const patterns = Object.entries(kindVocabulary).map(([kind, list]) => ({ kind: kind as KindName, pattern: wordPattern(list) }));

/**
 * The kind of business that a text speaks of: the one with most words, the first of those mentioned equally often.
 * `business` if none
 * is named.
 */
export function kindOf(text: string): KindName {
  const searched = plain(text);
  const found = patterns
    .map(({ kind, pattern }) => ({ kind, places: [...searched.matchAll(pattern)].map(({ index }) => index) }))
    .filter(({ places }) => places.length > 0)
    .toSorted((one, two) => two.places.length - one.places.length || (one.places[0] ?? 0) - (two.places[0] ?? 0));
  return found[0]?.kind ?? 'business';
}
